//! Random programs on the divergence unit in RTL against threads run alone (XV-03): the oracle's campaign at every parameter point,
//! a few programs each. The long runs are `cargo tb`'s.

use heddle_hdl::points;
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::model::DequeModel;
use heddle_sim::oracle::warp_runner::Statistics;
use heddle_sim::oracle::{run_many, Campaign, Class};
use heddle_sim::rtl::RtlEngine;
use rstest::rstest;

/// XV-03, DQ-08, DQ-11, DQ-12, DQ-13: every point, both classes, both handlers of exceptions.
#[rstest]
fn xv_03_programs_on_rtl(
    #[values(
        ("1x32x8", 1, 32, 8),
        ("4x32x16", 4, 32, 16),
        ("4x32x32", 4, 32, 32),
        ("16x32x32", 16, 32, 32),
        ("4x64x32", 4, 64, 32),
        ("4x32x256", 4, 32, 256)
    )]
    point: (&str, usize, usize, usize),
    #[values(Class::Structured, Class::Goto)] class: Class,
    #[values(false, true)] software_handler: bool,
) {
    let (name, warps, threads, depth) = point;
    let base = Configuration { warps, threads, depth, software_handler, ..Configuration::default() };
    let factory = |configuration: &Configuration| -> Box<dyn Engine> {
        let entry = points::find("divergence_unit", name).expect("the point exists");
        Box::new(RtlEngine::new((entry.simulate)(), format!("deque RTL {name}"), *configuration))
    };
    // Two batches of short programs: this simulator runs some ten thousand cycles a second.
    let mut campaign = Campaign::new((warps * threads + depth) as u64, 64, class, base);
    campaign.longest_run = 120;
    let rtl = run_many(&campaign, &factory, &|_| {}).unwrap_or_else(|failure| panic!("{failure}")).statistics;
    // Not only do the threads the right thing: the unit gets there by the same tokens as its model.
    let model = run_many(&campaign, &|configuration| Box::new(DequeModel::new(*configuration)), &|_| {});
    let model = model.unwrap_or_else(|failure| panic!("{failure}")).statistics;
    let transactions =
        |of: Statistics| [of.issued, of.pushed, of.popped, of.diverged, of.yielded, of.merged, of.discarded];
    assert_eq!(transactions(rtl), transactions(model), "{rtl:?}");
    assert!((depth > 32 || rtl.recentered > 0) && (depth > 8 || rtl.spilled > 0 && rtl.refilled > 0), "{rtl:?}");
}
