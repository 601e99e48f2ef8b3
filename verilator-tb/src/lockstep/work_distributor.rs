//! The work distributor in lockstep: random grids, tables and stalls, judged by the reference walk and the contract (WD-01 to WD-10, XV-02).
//!
//! The operations are the grids, so a failing run shrinks to those that matter.

use super::bench::{Bench, Counts, Stimulus, Subject};
use super::idle::Idle;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::launch::Shape;
use heddle_sim::model::work_distributor::traffic::{scenario, Plan, Settings, Traffic, EVENTS};
use heddle_sim::rtl::elaborated::distributor_shape;
use heddle_sim::rtl::work_distributor::DistributorPins;

/// Grids of an episode.
const GRIDS: u8 = 24;

/// The work distributor.
pub struct WorkDistributorSubject;

impl Subject for WorkDistributorSubject {
    type Shape = Shape;
    type Settings = Settings;
    type Operation = Plan;
    type Bench = WorkDistributorBench;
    const EXPECTED: &'static [&'static str] = EVENTS;

    fn shape(entry: &Entry) -> Shape {
        distributor_shape(entry)
    }

    fn stimulus(_: &Shape, seed: u64) -> Stimulus<Settings, Plan> {
        let (settings, operations) = scenario(seed, GRIDS);
        Stimulus { settings, operations }
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Settings, Plan>) -> WorkDistributorBench {
        WorkDistributorBench {
            pins: DistributorPins::of(ports),
            traffic: Traffic::new(*shape, &stimulus.settings, &stimulus.operations),
            grids: stimulus.operations.len(),
        }
    }
}

/// An episode under way.
pub struct WorkDistributorBench {
    pins: DistributorPins,
    traffic: Traffic,
    grids: usize,
}

impl Bench for WorkDistributorBench {
    const IDLE: &'static [Idle] = &[
        Idle {
            strobes: &["request_valid"],
            ports: &[
                "request_program",
                "request_grid",
                "request_predicated",
                "request_table",
                "request_x",
                "request_y",
                "request_z",
                "request_clustered",
                "request_cluster_x",
                "request_cluster_y",
                "request_cluster_z",
                "request_head",
            ],
        },
        Idle { strobes: &["memory_response_valid"], ports: &["memory_response_data"] },
    ];

    fn drive(&mut self, pins: &mut Frame) {
        self.pins.drive(pins, self.traffic.inputs());
    }

    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String> {
        self.traffic.observe(&self.pins.show(pins))?;
        if self.traffic.finished() {
            let report = self.traffic.report();
            for (event, count) in [("grids", report.grids), ("blocks", report.blocks), ("sets", report.sets)] {
                counts.add_many(event, count);
            }
            report.met.iter().for_each(|(event, count)| counts.add_many(event, *count));
        }
        Ok(())
    }

    fn finished(&self) -> bool {
        self.traffic.finished()
    }

    fn begun(&self) -> usize {
        self.traffic.offered(self.grids)
    }

    fn progress(&self) -> u64 {
        // The traffic has a patience of its own.
        self.traffic.report().cycles
    }
}
