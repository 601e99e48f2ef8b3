//! What the ports of a core promise, and leave open.

/// A request of a core to a memory or the allocator, which is taken where valid and ready are both high.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// There is one.
    pub valid: &'static str,
    /// It is taken.
    pub ready: &'static str,
    /// What has to hold still until then.
    pub payload: &'static [&'static str],
    /// What says that a word is written, and the word, which means nothing beside a read.
    pub write: Option<(&'static str, &'static str)>,
}

/// Where local memory of a block that leaves is asked for.
pub const ALLOCATE: &str = "allocate_valid";

/// Those of all cores.
pub const REQUESTS: &[Asked] = &[
    Asked {
        valid: "table_request_valid",
        ready: "table_request_ready",
        payload: &["table_request_address"],
        write: None,
    },
    Asked {
        valid: "memory_request_valid",
        ready: "memory_request_ready",
        payload: &["memory_request_write", "memory_request_address"],
        write: Some(("memory_request_write", "memory_request_data")),
    },
    Asked {
        valid: "save_request_valid",
        ready: "save_request_ready",
        payload: &["save_request_write", "save_request_address"],
        write: Some(("save_request_write", "save_request_data")),
    },
    Asked { valid: ALLOCATE, ready: "allocate_ready", payload: &["allocate_group", "allocate_words"], write: None },
    Asked { valid: "free_valid", ready: "free_ready", payload: &["free_group", "free_pointer"], write: None },
    Asked { valid: "copy_read_valid", ready: "copy_read_ready", payload: &["copy_read_address"], write: None },
    Asked {
        valid: "copy_write_valid",
        ready: "copy_write_ready",
        payload: &["copy_write_address", "copy_write_data"],
        write: None,
    },
];

/// What means nothing while its strobe is low; of word and lanes the strobe comes out of the core.
pub const IDLE: &[(&str, &[&str])] = &[
    (
        "grid_valid",
        &[
            "grid_program",
            "grid_priority",
            "grid_number",
            "grid_predicated",
            "grid_table",
            "grid_x",
            "grid_y",
            "grid_z",
            "grid_clustered",
            "grid_cluster_x",
            "grid_cluster_y",
            "grid_cluster_z",
            "grid_head",
        ],
    ),
    ("table_response_valid", &["table_response_data"]),
    ("memory_response_valid", &["memory_response_data"]),
    ("fetch_valid", &["fetch_word"]),
    ("observe_valid", &["observe_warp", "observe_kind"]),
    (
        "lane_valid",
        &["lane_named", "lane_agreeing", "lane_target", "lane_parity", "lane_even", "lane_odd", "lane_reference"],
    ),
    ("suspend_valid", &["suspend_resumes", "suspend_slot", "suspend_address", "suspend_warps", "suspend_patience"]),
    ("save_response_valid", &["save_response_data"]),
    ("access_valid", &["access_warp", "access_thread", "access_word"]),
    ("complete_valid", &["complete_group"]),
    ("allocated_valid", &["allocated_failed", "allocated_pointer"]),
    ("copy_data_valid", &["copy_data"]),
];
