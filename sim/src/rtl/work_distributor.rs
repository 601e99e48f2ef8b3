//! The RTL of the work distributor as a [`WorkDistributor`]: one driver of its ports for every simulation of it, in Rust or Verilated.

use crate::launch::{BlockSet, Inputs, Outputs, WorkDistributor};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Pins, Simulation};

heddle_hdl::pins! {
    /// The pins of a work distributor, by index.
    struct Distributor {
    reset, request_valid, request_ready, request_program, request_grid, request_predicated, request_table,
    request_x, request_y, request_z, request_clustered, request_cluster_x, request_cluster_y, request_cluster_z, request_head,
    memory_request_valid, memory_request_ready, memory_request_address,
    memory_response_valid, memory_response_ready, memory_response_data,
    core_ready, block_valid, block_core, block_program, block_grid, block_x, block_y, block_z,
    done_valid, done_grid, busy,
}}

/// What may stand at the pins of a word that is not valid: nobody may look.
const NOISE: u128 = 0xaaaa_5555_dead_beef;

/// A work distributor's ports as [`Inputs`] and [`Outputs`], whatever lies behind the pins.
#[derive(Clone, Copy, Debug)]
pub struct DistributorPins(Distributor);

impl DistributorPins {
    /// The pins among `ports`.
    pub fn of(ports: &[Port]) -> Self {
        Self(Distributor::of(ports))
    }

    /// Drives the inputs of this cycle.
    pub fn drive(&self, to: &mut dyn Pins, inputs: &Inputs) {
        let pins = &self.0;
        to.set(pins.reset, 0);
        to.set(pins.request_valid, inputs.request.is_some().into());
        if let Some(grid) = inputs.request {
            // Sizes that are not asked for would cut everywhere.
            let cluster = grid.cluster.unwrap_or([1; 3]);
            for (pin, value) in [
                (pins.request_program, grid.program.into()),
                (pins.request_grid, grid.grid.into()),
                (pins.request_predicated, grid.table.is_some().into()),
                (pins.request_table, grid.table.map_or(NOISE, u128::from)),
                (pins.request_x, grid.range[0].into()),
                (pins.request_y, grid.range[1].into()),
                (pins.request_z, grid.range[2].into()),
                (pins.request_clustered, grid.cluster.is_some().into()),
                (pins.request_cluster_x, cluster[0].into()),
                (pins.request_cluster_y, cluster[1].into()),
                (pins.request_cluster_z, cluster[2].into()),
                (pins.request_head, grid.head.into()),
            ] {
                to.set(pin, value);
            }
        }
        to.set(pins.memory_request_ready, inputs.fetch_ready.into());
        to.set(pins.memory_response_valid, inputs.response.is_some().into());
        to.set(pins.memory_response_data, inputs.response.map_or(NOISE, u128::from));
        to.set(pins.core_ready, inputs.core_ready.into());
    }

    /// Reads the outputs of this cycle, settled.
    pub fn show(&self, from: &mut dyn Pins) -> Outputs {
        let pins = &self.0;
        let places = from.get(pins.block_valid);
        let x = from.get(pins.block_x);
        let set = (places != 0).then(|| {
            let x = (0..128 / 16).filter(|place| places >> place & 1 == 1).map(|place| (x >> (16 * place)) as u16);
            let set = BlockSet {
                program: from.get(pins.block_program) as u32,
                grid: from.get(pins.block_grid) as u8,
                x: x.collect(),
                y: from.get(pins.block_y) as u16,
                z: from.get(pins.block_z) as u16,
            };
            (set, from.get(pins.block_core) as usize)
        });
        Outputs {
            request_ready: from.get(pins.request_ready) == 1,
            fetch: (from.get(pins.memory_request_valid) == 1).then(|| from.get(pins.memory_request_address) as u32),
            response_ready: from.get(pins.memory_response_ready) == 1,
            set,
            places: places as u8,
            done: (from.get(pins.done_valid) == 1).then(|| from.get(pins.done_grid) as u8),
            busy: from.get(pins.busy) == 1,
        }
    }
}

/// A work distributor in RTL.
pub struct RtlWorkDistributor<S: Simulation> {
    simulation: S,
    pins: DistributorPins,
}

impl<S: Simulation> RtlWorkDistributor<S> {
    /// Resets the distributor.
    pub fn new(mut simulation: S) -> Self {
        let pins = DistributorPins::of(simulation.ports());
        pins.drive(&mut simulation, &Inputs::default());
        simulation.set(pins.0.reset, 1);
        simulation.tick();
        Self { simulation, pins }
    }
}

impl<S: Simulation> WorkDistributor for RtlWorkDistributor<S> {
    fn settle(&mut self, inputs: &Inputs) -> Outputs {
        self.pins.drive(&mut self.simulation, inputs);
        self.pins.show(&mut self.simulation)
    }

    fn tick(&mut self) {
        self.simulation.tick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Shape;
    use crate::model::work_distributor::traffic::drive;
    use crate::rtl::elaborated::{distributor_point, distributor_shape};
    use heddle_hdl::points;

    /// SM-03: the distributor that feeds a core is elaborated.
    #[test]
    fn sm_03_the_core_has_its_point() {
        assert_eq!(distributor_point(Shape::CORE).map(|entry| entry.point).ok(), Some("1x1"));
    }

    /// WD-02, WD-03, WD-04, WD-05, WD-06, WD-07, WD-09, WD-10: the RTL keeps the contract under random traffic at every point.
    #[test]
    fn wd_07_the_rtl_keeps_the_contract() {
        for entry in points::entries().into_iter().filter(|entry| entry.block == "work_distributor") {
            let shape = distributor_shape(&entry);
            for seed in 0..12 {
                let mut distributor = RtlWorkDistributor::new((entry.simulate)());
                let report = drive(&mut distributor, shape, seed, 24).unwrap_or_else(|failure| panic!("{failure}"));
                assert_eq!(report.grids, 24);
            }
        }
    }
}
