//! What stands at inputs at which nobody may look: while a block is reset at all of them, later at those whose strobe is low. Bits that change in every
//! cycle find a block that looks all the same, and the wires that only such a block would read; what stood there last, too.

use heddle_hdl::ports::{Direction, Port};
use heddle_hdl::simulation::{index_of, Frame};

/// A request that is chosen in every so manieth cycle stands on its port for a cycle before it is offered.
pub const EARLY: u64 = 5;

/// Inputs that mean something only while one of their strobes is high.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    /// The strobes.
    pub strobes: &'static [&'static str],
    /// What they are about.
    pub ports: &'static [&'static str],
}

/// An [`Idle`], by the places of its ports.
#[derive(Clone, Debug)]
struct Group {
    strobes: Vec<usize>,
    ports: Vec<usize>,
    /// A strobe was high in the cycle before.
    meant: bool,
}

/// See the module's page. What it says depends on nothing but the cycle and the inputs, so that a replayed case sees the same.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    groups: Vec<Group>,
    cycle: u64,
}

impl Noise {
    /// The noise at `idle` among `ports`.
    pub fn of(ports: &[Port], idle: &[Idle]) -> Self {
        let places = |names: &[&str]| names.iter().map(|name| index_of(ports, name)).collect();
        let group = |idle: &Idle| Group { strobes: places(idle.strobes), ports: places(idle.ports), meant: false };
        Self { groups: idle.iter().map(group).collect(), cycle: 0 }
    }

    /// Replaces what nobody may look at in this cycle, unless what means something in the next one stands there `early`.
    pub fn drive(&mut self, pins: &mut Frame, early: bool) {
        self.cycle += 1;
        let seed = pins.words_mut().iter().fold(self.cycle, |seed, word| mixed(seed ^ *word));
        for group in &mut self.groups {
            let means = group.strobes.iter().any(|strobe| pins.read(*strobe) != 0);
            // What meant something in the cycle before may still stand there: to a block that looks all the same it makes more sense than chance does.
            let stays = group.meant && seed & 1 == 1;
            if !means && !stays && !early {
                group.ports.iter().for_each(|port| pins.write(*port, bits(seed, *port)));
            }
            group.meant = means;
        }
    }
}

/// Anything at the inputs of a block that is reset, but for the numbers of warps, which are always those of warps that there are.
pub fn during_reset(ports: &[Port], pins: &mut Frame, inverted: bool) {
    for (index, port) in ports.iter().enumerate().skip(2) {
        if port.direction == Direction::In && !port.name.ends_with("warp") {
            let bits = bits(0, index);
            pins.write(index, if inverted { !bits } else { bits });
        }
    }
}

fn bits(seed: u64, port: usize) -> u128 {
    let low = mixed(seed ^ port as u64);
    u128::from(mixed(low)) << 64 | u128::from(low)
}

/// Neighbours share nothing.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-08: only what has no strobe is replaced, by something else in the next cycle, or the one after that; a number of a warp never.
    #[test]
    fn xv_08_noise_stands_where_nobody_looks() {
        let port = |name, direction, width| Port { name, direction, width, meaning: "" };
        let ports = [
            port("clock", Direction::In, 1),
            port("reset", Direction::In, 1),
            port("push_valid", Direction::In, 1),
            port("push_mask", Direction::In, 100),
            port("push_warp", Direction::In, 1),
            port("front", Direction::Out, 8),
        ];
        let mut noise = Noise::of(&ports, &[Idle { strobes: &["push_valid"], ports: &["push_mask"] }]);
        let mut pins = Frame::new(&ports);
        noise.drive(&mut pins, false);
        let first = pins.read(3);
        noise.drive(&mut pins, false);
        assert!(first >> 64 != 0 && first != pins.read(3));
        pins.write(2, 1);
        pins.write(3, 5);
        noise.drive(&mut pins, false);
        assert_eq!(pins.read(3), 5);
        // What meant something stays for a cycle now and then, never for two.
        let mut stayed = 0;
        for _ in 0..64 {
            pins.write(2, 1);
            pins.write(3, 5);
            noise.drive(&mut pins, false);
            pins.write(2, 0);
            noise.drive(&mut pins, false);
            stayed += u32::from(pins.read(3) == 5);
            noise.drive(&mut pins, false);
            assert_ne!(pins.read(3), 5);
        }
        assert!((1..64).contains(&stayed), "{stayed}");
        pins.write(3, 7);
        noise.drive(&mut pins, true);
        assert_eq!(pins.read(3), 7);
        during_reset(&ports, &mut pins, false);
        let once = pins.read(3);
        during_reset(&ports, &mut pins, true);
        assert_eq!(once ^ pins.read(3), u128::MAX >> 28);
        assert!(pins.read(4) == 0 && pins.read(5) == 0);
    }
}
