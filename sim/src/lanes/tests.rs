//! Tests of the lanes.
