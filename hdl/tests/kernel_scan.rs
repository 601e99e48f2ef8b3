//! Scans the kernels of every block for constructs that `hdl_gen` translates to something else than Rust does, and proves on
//! small kernels that each of them would be found.

mod rules;

use rstest::rstest;
use rules::scan;
use std::path::{Path, PathBuf};

/// Every Rust file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// XV-05: no kernel of ours says what the translation would get wrong.
#[test]
fn our_kernels_are_clean() {
    let mut problems = Vec::new();
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.len() > 10, "the scan found only {} files", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let found = scan(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", file.display())));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// XV-05: the scan reaches every kernel: a mistake planted in each of them is found.
#[test]
fn every_kernel_is_reached() {
    let mut kernels = 0;
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let marks = text.lines().filter(|line| line.trim() == "#[hdl_gen]").count();
        let planted = text.replace("fn update(&mut self) {", "fn update(&mut self) { assert!(true);");
        let found = scan(&planted).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(found.len(), marks, "{}", file.display());
        kernels += marks;
    }
    assert!(kernels > 5, "only {kernels} kernels");
}

/// A kernel around `body`.
fn kernel(body: &str) -> String {
    format!("impl<const WIDTH: usize> Logic for Sample<WIDTH> {{ #[hdl_gen] fn update(&mut self) {{ {body} }} }}")
}

/// XV-05: each construct of the list is found, by its own rule alone.
#[rstest]
#[case::guard("match self.state.q.val() { State::Idle if self.go.val() => {} _ => {} }", "a guard")]
#[case::closed_range("for i in 0..=3 { self.x[i].next = self.y[i].val(); }", "turns once less")]
#[case::accumulation(
    "self.hit.next = false; for i in 0..4 { self.hit.next = self.hit.val() | self.x[i].val(); }",
    "reads and writes `self.hit`"
)]
#[case::named_next(
    "self.next_hit.next = false; for i in 0..4 { self.next_hit.next = self.next_hit.val() | self.x[i].val(); }",
    "reads and writes `self.next_hit`"
)]
#[case::element(
    "self.x[0].next = false; for i in 0..4 { self.x[i].next = self.x[i].val() | self.y.val(); }",
    "reads and writes `self.x[i]`"
)]
#[case::any_element(
    "self.x[0].next = false; for i in 0..4 { self.x[i].next = self.x[i as usize].val() | self.y.val(); }",
    "reads and writes `self.x[i]`"
)]
#[case::nested(
    "self.hit.next = false; for i in 0..4 { if self.y[i].val() { self.hit.next = !self.hit.val(); } }",
    "reads and writes `self.hit`"
)]
#[case::downwards(
    "self.x[4].next = true; for i in 0..4 { self.x[i].next = self.x[i + 1].val() | self.y[i].val(); }",
    "a loop reads `self.x[i+1]`"
)]
#[case::anywhere(
    "self.x[0].next = true; for i in 0..4 { self.x[i + 1].next = self.x[2].val() | self.y[i].val(); }",
    "a loop reads `self.x[2]`"
)]
#[case::generic_value("self.x.next = self.y.val().get_bit(WIDTH);", "`WIDTH` used as a value")]
#[case::constant_value("self.x.next = self.y.val() + LIMIT;", "`LIMIT` used as a value")]
#[case::associated_value("self.x.next = self.y.val() + Self::LIMIT;", "an associated constant")]
#[case::function("self.x.next = bits_of(self.y.val());", "the call of `bits_of`")]
#[case::read_back("self.x.next = self.y[1].d.val();", "`#[reads_back(d)]`")]
#[case::any_read_back("for i in 0..4 { self.x.next = self.y[i as usize].d.val(); }", "`#[reads_back(d)]`")]
#[case::part_read_back("self.x.next = self.y[0].go.val(); self.y[0].go.next = true;", "`#[reads_back(go)]`")]
#[case::index("self.x.next = self.y.val().get_bit(self.z.val().index() + 1);", "`index()`")]
#[case::binding("match self.state.q.val() { State::Idle => {} other => {} }", "binds a name")]
#[case::print("assert!(self.x.val());", "`assert!` runs in the simulation only")]
#[case::conditional_statement("#[cfg(test)] if self.y.val() { self.x.next = true; }", "`cfg` on a statement")]
fn construct_is_found(#[case] body: &str, #[case] problem: &str) {
    let found = scan(&kernel(body)).expect("the sample parses");
    assert!(found.len() == 1 && found[0].contains(problem), "{found:?}");
    assert!(found[0].starts_with("Sample: "), "{found:?}");
}

/// XV-05: what a register takes next, or a part is given, may be read where it is declared so, and only of that part; and what is declared is read.
#[rstest]
#[case::declared("self.go.next = self.y.d.val() & self.part.a.val();", &[])]
#[case::undeclared_register("self.go.next = self.x.d.val() & self.y.d.val() & self.part.a.val();", &["`x.d` is read back"])]
#[case::undeclared_input("self.go.next = self.y.d.val() & self.part.a.val() & self.part.b.val();", &["`part.b` is read back"])]
#[case::unused("self.go.next = self.y.d.val();", &["`part.a` is declared"])]
#[case::output("self.go.next = self.y.d.val() & self.part.a.val() & self.part.result.val();", &[])]
fn read_backs_are_declared(#[case] reads: &str, #[case] problems: &[&str]) {
    let block = "block! { pub struct Sample<const WIDTH: usize> { ports { /// A bit.\n pub go: Signal<In, Bit> } parts { x: Register<Bit>, \
                 #[reads_back(d)] y: Register<Bits<4>> = Register::new(bits(3)), #[reads_back(a)] part: Part<WIDTH> } } }";
    let assigned = "self.part.a.next = true; self.part.b.next = false;";
    let found = scan(&format!("{block} {}", kernel(&format!("{assigned} {reads}")))).expect("the sample parses");
    assert_eq!(found.len(), problems.len(), "{found:?}");
    assert!(found.iter().zip(problems).all(|(found, problem)| found.contains(problem)), "{found:?}");
}

/// XV-05: what a kernel reads of its outputs and local signals, it has assigned above in every case, or it is declared.
#[rstest]
#[case::below("self.x.next = self.y.val(); self.y.next = self.a.val();", &["`y` is read above"])]
#[case::by_itself("self.y.next = self.y.val() & self.a.val();", &["`y` is read above"])]
#[case::of_an_array("self.x.next = self.y[1].val(); for i in 0..4 { self.y[i].next = self.a[i].val(); }", &["`y` is read above"])]
#[case::in_a_condition("if self.y.val() { self.x.next = self.a.val(); } self.y.next = true;", &["`y` is read above"])]
#[case::in_one_case("if self.a.val() { self.y.next = true; } self.x.next = self.y.val(); self.y.next = false;", &["`y` is read above"])]
#[case::in_one_arm("match self.a.val() { 0 => { self.y.next = true; } _ => {} } self.x.next = self.y.val(); self.y.next = false;", &["`y` is read above"])]
#[case::in_both_cases("if self.a.val() { self.y.next = true; } else { self.y.next = self.b.val(); } self.x.next = self.y.val();", &[])]
#[case::in_all_arms("match self.a.val() { 0 => { self.y.next = true; } _ => { self.y.next = self.b.val(); } } self.x.next = self.y.val();", &[])]
#[case::in_its_case("if self.a.val() { self.y.next = true; self.x.next = self.y.val(); }", &[])]
#[case::of_a_part("self.x.next = self.part.y.val(); self.y.next = self.a.val();", &[])]
#[case::above("self.y.next = self.a.val(); if self.b.val() { self.y.next = false; } self.x.next = self.y.val();", &[])]
fn early_reads_are_found(#[case] body: &str, #[case] problems: &[&str]) {
    let found = scan(&kernel(body)).expect("the sample parses");
    assert_eq!(found.len(), problems.len(), "{found:?}");
    assert!(found.iter().zip(problems).all(|(found, problem)| found.contains(problem)), "{found:?}");
}

/// XV-05: outputs and local signals may be read early where it is declared so, and what is declared is read early.
#[rstest]
#[case::declared("self.x.next = self.y.val() & self.z.val(); self.y.next = true; self.z.next = true;", &[])]
#[case::undeclared("self.x.next = self.y.val() & self.z.val() & self.w.val(); self.y.next = true; self.z.next = true; self.w.next = true;", &["`w` is read above"])]
#[case::unused("self.y.next = true; self.x.next = self.y.val() & self.z.val(); self.z.next = true;", &["`y` is declared as read early"])]
fn early_reads_are_declared(#[case] body: &str, #[case] problems: &[&str]) {
    let block = "block! { pub struct Sample<const WIDTH: usize> { ports { /// A bit.\n pub x: Signal<Out, Bit>, /// A bit.\n #[reads(early)] pub y: \
                 Signal<Out, Bit> } parts { #[reads_back(d)] state: Register<Bit>, #[reads(early)] z: Signal<Local, Bit>, w: Signal<Local, Bit> } } }";
    let found = scan(&format!("{block} {}", kernel(&format!("self.state.d.next = !self.state.d.val(); {body}"))))
        .expect("the sample parses");
    assert_eq!(found.len(), problems.len(), "{found:?}");
    assert!(found.iter().zip(problems).all(|(found, problem)| found.contains(problem)), "{found:?}");
}

/// XV-05: reserved words are found among ports and parts, and only there.
#[test]
fn reserved_names_are_found() {
    let source = "block! { pub struct Sample<const WIDTH: usize> { ports { /// A bit.\n pub release: Signal<In, Bit>, /// A.\n pub \
                  other: Signal<Out, Bits<WIDTH>> } parts { join: Signal<Local, Bit>, table: Register<Bits<4>> = \
                  Register::new(bits(3)), fine: Constant<Bits<4>> = Constant::new(crate::wait::bits(1)) } } }";
    let found = scan(source).expect("the sample parses");
    let names: Vec<&str> = found.iter().filter_map(|problem| problem.split('`').nth(1)).collect();
    assert_eq!(names, ["release", "join", "table"]);
}

/// XV-05: what the back end translates faithfully passes, so the list stays short.
#[rstest]
#[case::loops(
    "self.x[0].next = false; for i in 0..WIDTH { self.x[i + 1].next = self.x[i].val() | self.y.val().get_bit(i); }"
)]
#[case::widths("self.x.next = bit_cast::<9, 8>(self.a.val() + self.b.val());")]
#[case::precedence("self.x.next = self.a.val() & self.b.val() == self.c.val();")]
#[case::selection("self.x.next = (self.a.val() ^ self.b.val()).get_bits::<WIDTH>(2);")]
#[case::states("match self.state.q.val() { State::Idle => { self.state.d.next = State::Busy; } _ => {} }")]
#[case::set_up("dff_setup!(self, clock, state); clock!(self, clock, memory);")]
#[case::branches("if self.a.val() { self.x.next = true; } else if self.b.val() { self.x.next = false; }")]
fn good_construct_passes(#[case] body: &str) {
    assert_eq!(scan(&kernel(body)).expect("the sample parses"), Vec::<String>::new());
}

/// XV-05: other functions may say what they like.
#[test]
fn only_kernels_are_scanned() {
    let source = "impl Logic for Sample { fn update(&mut self) { assert!(LIMIT > 0); for i in 0..=3 {} } }";
    assert_eq!(scan(source).expect("the sample parses"), Vec::<String>::new());
}
