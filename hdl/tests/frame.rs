//! Values of ports side by side.

use heddle_hdl::ports::{Direction, Port};
use heddle_hdl::simulation::Frame;

fn port(name: &'static str, direction: Direction, width: usize) -> Port {
    Port { name, direction, width, meaning: "" }
}

#[test]
fn a_frame_keeps_each_port_apart_and_truncates() {
    let mut frame = Frame::new(&[
        port("clock", Direction::In, 1),
        port("narrow", Direction::In, 3),
        port("wide", Direction::Out, 100),
        port("last", Direction::In, 64),
    ]);
    frame.write(1, 0xff);
    frame.write(2, u128::MAX);
    frame.write(3, 5);
    assert_eq!((frame.read(1), frame.read(2), frame.read(3)), (7, u128::MAX >> 28, 5));
    assert_eq!(frame.words_mut().len(), 5);
}
