//! Kernel files, good and bad.

use super::*;
use crate::engine::PathPolicy;
use crate::isa::decode;
use crate::kernels;
use expect_test::expect;
use proptest::prelude::*;
use rstest::rstest;

/// IS-05: each kind of mistake is reported at its place, with a hint.
#[rstest]
#[case("IAD R1, R2, R3", "there is no instruction `IAD`", 1, 1, "did you mean `IADD`?")]
#[case("EXIT\n  BRA strat\nstart: EXIT", "there is no label `strat`", 2, 7, "did you mean `start`?")]
#[case("BRA far", "there is no label `far`", 1, 5, "put `name:` before")]
#[case("BRA 0x400000", "0x400000 is no address", 1, 5, "22 bits")]
#[case("MOV R1, 4294967296", "does not fit 32 bits", 1, 9, "0xffffffff")]
#[case("MOV R1, -2147483649", "does not fit 32 bits", 1, 10, "-2147483648")]
#[case("IADD R1, R2", "`,` and Rb|immediate is missing", 1, 12, "write `IADD Rd, Ra, Rb|immediate`")]
#[case("IADD R1, R2,", "Rb|immediate is missing", 1, 13, "write `IADD")]
#[case("EXIT 0, 1", "where the line should end", 1, 7, "write `EXIT (address)`")]
#[case("a: NOP\na: EXIT", "label `a` is there twice", 2, 1, "already names address 0x0")]
#[case("@P0 SSY 0", "SSY acts for all active threads", 1, 1, "leave out the guard")]
#[case("@!PT PBK 0", "PBK acts for all active threads", 1, 1, "leave out the guard")]
#[case("IADD R1, R63, R2", "`R63` is no register", 1, 10, "R0 to R62")]
#[case("@P7 EXIT", "`P7` is no predicate", 1, 2, "P0 to P6")]
#[case("S2R R0, %lan", "there is no special register `%lan`", 1, 9, "did you mean `%lane`?")]
#[case("PARAM R0, lock", "there is no parameter or memory section `lock`", 1, 11, "declare it")]
#[case("BRA R1", "a register where an address should stand", 1, 5, "BRX and JMX")]
#[case("MOV R1, there", "`there` is neither a label", 1, 9, "PARAM")]
#[case("ATOM.GLOBAL.CAS R1, [R2 + 4], R3, R4", "an offset that cannot be encoded", 1, 25, "add it to the register")]
#[case("BARRIER.BOTTOM 8", "there is no barrier 8", 1, 16, "0 to 7")]
#[case("BARRIER.CONF 1, referenc 2", "a barrier has no `referenc`", 1, 17, "did you mean `reference`?")]
#[case("BARRIER.CONF 1, reference 1024", "1024 is out of range", 1, 27, "0 to 1023")]
#[case("BARRIER.CONF 1, condition 6", "6 is out of range", 1, 27, "1 to 5")]
#[case("BARRIER.CONF 1, late never", "no such value: `never`", 1, 22, "skip")]
#[case("BARRIER.CONF 1, timeout R3", "a register where a number", 1, 25, "only the reference")]
#[case("BARRIER.CONF 1, late join, late skip", "`late` is there twice", 1, 28, "keep one")]
#[case("BARRIER.CONF 1, condition 5, timeout 9", "condition 5 needs a minimum", 1, 1, "or condition 4")]
#[case("WAIT 1, 2", "2 is no parity", 1, 1, "0 and 1")]
#[case("EXPECT 1, RZ, 64", "64 transactions are too many", 1, 1, "63 at most")]
#[case("BARRIER.CONDITIONAL 1, after\nNOP\nafter: EXIT", "no bottom before", 1, 1, "BARRIER.BOTTOM.CONDITIONAL 1")]
#[case("BARRIER.CONDITIONAL 1, after\nBARRIER.BOTTOM 1\nafter: EXIT", "no bottom before", 1, 1, "CONDITIONAL 1")]
#[case("BARRIER.CONDITIONAL.IMPATIENT 1, 1\nEXIT", "never configured to be impatient", 1, 1, "condition 4")]
#[case(
    "BARRIER.CONF 1, condition 4\nBARRIER.CONDITIONAL 1, 2\nEXIT",
    "configured to be impatient only",
    2,
    1,
    "add `.IMPATIENT`"
)]
#[case("BARRIER.CONDITIONAL.NONBLOCKING 1, 1\nEXIT", "should not block", 1, 1, "leave out")]
#[case("BARRIER.ORDERED 1, after\nNOP\nafter: EXIT", "no bottom before address 0x2", 1, 1, "BARRIER.BOTTOM 1")]
#[case(
    "BARRIER.UNORDERED 1, after\nBARRIER.BOTTOM 2\nafter: EXIT",
    "no bottom before address 0x2",
    1,
    1,
    "BARRIER.BOTTOM 1"
)]
#[case(".grdi 4\nEXIT", "there is no directive `.grdi`", 1, 1, "did you mean `.grid`?")]
#[case(".grid 0\nEXIT", "a size of 0", 1, 7, "1 at least")]
#[case(".block 32\n.block 32\nEXIT", "`.block` is there twice", 2, 1, "keep one")]
#[case(".memory a, n\nEXIT", "nothing is called `n`", 1, 12, ".param")]
#[case(".memory queue, 1\n.expect queues = 0\nEXIT", "there is no section `queues`", 2, 9, "did you mean `queue`?")]
#[case(".param a = 1\n.memory a, 1\nEXIT", "`a` is declared twice", 2, 9, "another name")]
#[case(".check nothing_like_it\nEXIT", "there is no check", 1, 8, "there are:")]
#[case(".stack_hangs often\nEXIT", "there is no path policy `often`", 1, 14, "taken, not_taken")]
#[case("R1: EXIT", "`R1` is a name of the assembler's own", 1, 1, "registers")]
#[case("MOV R1, 1 / 0", "divides by zero", 1, 9, "numbers")]
#[case("MOV R1, $", "no part of a kernel file", 1, 9, "comments begin")]
#[case(".kernel a \"never closed\nEXIT", "no part of a kernel file", 1, 11, "close the text")]
#[case("// nothing\n", "there is no instruction", 1, 1, "`EXIT`")]
fn mistakes_have_place_and_hint(
    #[case] text: &str,
    #[case] message: &str,
    #[case] line: usize,
    #[case] column: usize,
    #[case] hint: &str,
) {
    let errors = assemble(text, "bad.s").expect_err("it is wrong");
    let [mistake] = errors.mistakes.as_slice() else { panic!("{:?}", errors.mistakes) };
    assert!(mistake.message.contains(message), "{}", mistake.message);
    assert_eq!((mistake.line, mistake.column), (line, column), "{}", mistake.message);
    assert!(mistake.hint.contains(hint), "{}", mistake.hint);
}

/// The report of a file as a person sees it, without colours.
fn shown(errors: Errors) -> String {
    let mut text = String::new();
    let theme =
        miette::GraphicalTheme { characters: miette::ThemeCharacters::ascii(), ..miette::GraphicalTheme::none() };
    miette::GraphicalReportHandler::new_themed(theme).render_report(&mut text, &errors).expect("it renders");
    text
}

/// IS-05: all mistakes of a file are reported at once, each with file, line, column, the line itself and a hint.
#[test]
fn mistakes_are_shown_with_their_lines() {
    let text = "start:  MOV     R1, 5\n        IADDD   R1, R1, 2\n        @P0 BRA stat\n        EXIT\n";
    let errors = assemble(text, "lock.s").expect_err("it is wrong");
    expect![[r#"
          x lock.s does not assemble: 2 mistakes

        Error: 
          x there is no instruction `IADDD`
           ,-[lock.s:2:9]
         1 | start:  MOV     R1, 5
         2 |         IADDD   R1, R1, 2
           :         ^^|^^
           :           `-- unknown mnemonic
         3 |         @P0 BRA stat
           `----
          help: did you mean `IADD`?

        Error: 
          x there is no label `stat`
           ,-[lock.s:3:17]
         2 |         IADDD   R1, R1, 2
         3 |         @P0 BRA stat
           :                 ^^|^
           :                   `-- undefined label
         4 |         EXIT
           `----
          help: did you mean `start`?
    "#]]
    .assert_eq(&shown(errors));
}

/// BR-18: one id with two tops is a warning under any condition but 1, with its place; the file assembles all the same.
#[rstest]
#[case("BARRIER.CONF 2, condition 3, reference 4", 1)]
#[case("BARRIER.CONF 2, condition 2, reference R5", 1)]
#[case("BARRIER.CONF 2, late join", 0)]
#[case("BARRIER.CONF 3, condition 3, reference 4", 0)]
#[case("NOP", 0)]
fn one_id_for_two_tops_is_a_warning(#[case] first: &str, #[case] warnings: usize) {
    let text = format!("{first}\nBARRIER.CONDITIONAL 2, 2\nNOP\n  BARRIER.CONDITIONAL 2, 4\nEXIT");
    let kernel = assemble(&text, "two.s").expect("it assembles");
    assert_eq!(kernel.warnings.len(), warnings);
    if let [warning] = kernel.warnings.as_slice() {
        assert_eq!((warning.line, warning.column, warning.severity), (4, 3, miette::Severity::Warning));
        assert!(warning.message.contains("0x1") && warning.message.contains("0x3"), "{}", warning.message);
    }
}

/// IS-05: a file that is no kernel at all gives a bounded report.
#[test]
fn a_flood_of_mistakes_is_cut() {
    let errors = assemble(&"nonsense\n".repeat(1000), "flood.s").expect_err("it is wrong");
    assert_eq!(errors.count, 1000);
    assert_eq!(errors.mistakes.len(), 20);
    assert!(errors.to_string().contains("1000 mistakes, the first of which are"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// IS-05: no text makes the assembler panic.
    #[test]
    fn arbitrary_text_never_panics(text in "(?s).{0,200}") {
        let _ = assemble(&text, "any.s").map_err(shown);
    }

    /// IS-05: nor does a text of familiar words in any order; what assembles also launches or says why not.
    #[test]
    fn familiar_words_never_panic(words in proptest::collection::vec(
        prop_oneof![
            Just("IADD"), Just("BRA"), Just("EXIT"), Just("R1"), Just("P0"), Just(","), Just("@"), Just("!"), Just("["),
            Just("]"), Just("+"), Just("-"), Just("*"), Just("/"), Just("%"), Just("("), Just(")"), Just("="), Just("\n"),
            Just("\n"), Just("name"), Just("name:"), Just(".memory"), Just(".param"), Just(".grid"), Just(".expect"),
            Just(".define"), Just(".kernel"), Just("fill"), Just("each"), Just("random"), Just("0"), Just("0xffffffff"),
            Just("1.5"), Just("LD.GLOBAL.W"), Just("BARRIER.CONF"), Just("BARRIER.ORDERED.IMPATIENT"), Just("BARRIER.BOTTOM"),
            Just("reference"), Just("late"), Just("skip"), Just("WAIT"), Just("%lane"), Just("index"), Just("threads"), Just("\"text\""), Just("é"),
        ],
        0..40,
    )) {
        if let Ok(kernel) = assemble(&words.join(" "), "any.s") {
            if let Ok(launch) = kernel.launch(&Overrides::default()) {
                let _ = kernel.check(&launch, &launch.global);
            }
        }
    }
}

/// IS-04: a whole program and its disassembly have the same words.
#[test]
fn disassembly_of_shipped_kernels_assembles_to_the_same_words() {
    for shipped in kernels::ALL {
        let kernel = assemble(shipped.text, shipped.file_name).expect("it assembles");
        let text = disassemble(&kernel.words).expect("every word is an instruction");
        let again = assemble(&text, "again.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)));
        assert_eq!(again.words, kernel.words, "{}", shipped.name);
        let listed = assemble(&listing(&kernel), "listing.s").unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(listed.words, kernel.words, "{}", shipped.name);
    }
}

/// IS-04: labels of a disassembly are those that instructions name, and nothing else.
#[test]
fn disassembly_reads_well() {
    let kernel = assemble(
        "a: SSY b\n @!P1 BRA a\n LD.SHARED.SH R3, [R4 - 8]\n CAL a, R7\n SYNC b\nb: BRX R2, 9\n EXIT",
        "small.s",
    )
    .expect("it assembles");
    let text = disassemble(&kernel.words).expect("it disassembles");
    expect![[r#"
        at_0000:
            SSY at_0005
            @!P1 BRA at_0000
            LD.SHARED.SH R3, [R4 - 0x8]
            CAL at_0000, R7
            SYNC at_0005
        at_0005:
            BRX R2, 0x9
            EXIT
    "#]]
    .assert_eq(&text);
    assert_eq!(disassemble(&[kernel.words[0], 0]).expect_err("0 is no instruction").0, 1);
}

/// IS-04: labels, constants, floats and expressions become the values that they stand for.
#[test]
fn values_of_operands() {
    let kernel = assemble(
        ".define size = 3 * (4 + 1)\nMOV R1, size * 2\nMOV R2, end\nMOV R3, -1.5\nMOV R4, -size\n\
         LD.GLOBAL.W R5, [R6 - size]\nend: EXIT end",
        "values.s",
    )
    .expect("it assembles");
    let values: Vec<u32> = kernel.instructions.iter().map(|instruction| instruction.immediate()).collect();
    assert_eq!(values, [30, 5, (-1.5_f32).to_bits(), 0_u32.wrapping_sub(15), 0_u32.wrapping_sub(15), 5]);
    assert!(kernel.instructions[5].optional, "EXIT with an address");
    assert_eq!(kernel.words.iter().map(|word| decode(*word).expect("valid")).collect::<Vec<_>>(), kernel.instructions);
    assert_eq!(kernel.lines, [2, 3, 4, 5, 6, 7]);
}

/// SM-09: every directive arrives in the kernel, and a launch fixes sizes and fills memory from them.
#[test]
fn a_file_states_everything_about_a_kernel() {
    let text =
        ".kernel small \"a summary\"\n.param n = 3 \"how many\"\n.define unit = 4\n.shared n * unit\n.local 16\n\
                .grid 2\n.block 4, 2\n.memory first, n = 7, n + 1\n.memory second, threads = each index * 2\n\
                .memory third, n = random 1, 10\n.expect first = fill 9\n.stack_hangs taken, larger\nPARAM R1, n\n\
                PARAM R2, second\nEXIT";
    let kernel = assemble(text, "small.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)));
    assert_eq!((kernel.name.as_str(), kernel.summary.as_str()), ("small", "a summary"));
    assert_eq!(kernel.parameters[0].summary, "how many");
    assert!(kernel.stack_hangs(PathPolicy::Larger) && !kernel.stack_hangs(PathPolicy::Smaller));
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    assert_eq!((launch.grid, launch.block, launch.block_threads(), launch.ctas()), ([2, 1, 1], [4, 2, 1], 8, 2));
    assert_eq!((launch.shared_bytes, launch.local_bytes), (12, 16));
    assert_eq!(launch.words_of("first", &launch.global), Some(vec![7, 4, 0]));
    assert_eq!(launch.words_of("second", &launch.global).map(|words| words[15]), Some(30));
    assert_eq!(launch.parameters, [3, 0, 12, 12 + 64], "n, then the addresses of the sections");
    assert_eq!(kernel.instructions[1].immediate(), 2, "index of `second` among them");
    assert!(launch.words_of("third", &launch.global).expect("it is there").iter().all(|word| *word < 10));

    let parameters = [("n".to_string(), 5)].into();
    let larger = kernel.launch(&Overrides { parameters, grid: Some([1, 1, 1]), block: None }).expect("it launches");
    assert_eq!(larger.shared_bytes, 20);
    assert_eq!(larger.words_of("first", &larger.global), Some(vec![7, 6, 0, 0, 0]));
    assert_eq!(kernel.check(&larger, &larger.global).len(), 5);
    let mut nines = larger.global.clone();
    nines[..20].copy_from_slice(&[9, 0, 0, 0].repeat(5));
    assert_eq!(kernel.check(&larger, &nines), []);
}

/// SM-09, WD-05: the predicate table's section begins at a multiple of 8 bytes and is as large as the grid wants; an expression of 0 turns it off.
#[test]
fn a_file_names_its_predicate_table() {
    let text = ".kernel k\n.param on = 1\n.param words = 8\n.memory a, 3\n.predicate live, on\n.memory live, words = 5\n.grid 65, 2\nEXIT";
    let kernel = assemble(text, "k.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)));
    let launch = |name: &str, value| {
        kernel.launch(&Overrides { parameters: [(name.to_string(), value)].into(), ..Overrides::default() })
    };
    let full = launch("on", 1).expect("it launches");
    assert_eq!(
        (full.predicate, full.global.len()),
        (Some(16), 48),
        "12 bytes, 4 between, 2 rows of 2 words of 64 bits"
    );
    let set: Vec<u32> = (0..130).filter(|cta| full.flag(&full.global, 16, full.cta(*cta))).collect();
    assert_eq!(set, [0, 2], "the first word is 5");
    assert_eq!(launch("on", 0).expect("it launches").predicate, None);
    let small = launch("words", 7).expect_err("a word is missing").to_string();
    assert!(small.contains("the predicate table of kernel k is 7; it must be 8 to"), "{small}");
    let wide = Overrides { grid: Some([65_536, 1, 1]), ..Overrides::default() };
    assert!(kernel.launch(&wide).expect_err("17 bits").to_string().contains("1 to 65535"));
    for (text, message) in [
        (".predicate none\nEXIT", "there is no section `none`"),
        (".memory a, 2\n.predicate a\n.predicate a\nEXIT", "`.predicate` is there twice"),
        (".memory a, 2\n.predicate a, b\nEXIT", "nothing is called `b`"),
    ] {
        let errors = assemble(text, "k.s").expect_err(text);
        assert!(format!("{:?}", miette::Report::new(errors)).contains(message), "{text}");
    }
}

/// SM-09: sparse noise sets about as many bits as it should, the same ones each time, and all or none at the ends.
#[test]
fn sparse_noise_has_its_density() {
    let kernel = assemble(".param p = 20\n.memory a, 1000 = sparse 7, p\nEXIT", "k.s").expect("it assembles");
    let bits = |percent: u32| {
        let overrides = Overrides { parameters: [("p".to_string(), percent)].into(), ..Overrides::default() };
        let words = kernel.launch(&overrides).map(|launch| launch.words_of("a", &launch.global)).expect("it launches");
        words.expect("a section").iter().map(|word| word.count_ones()).sum::<u32>()
    };
    assert_eq!((bits(0), bits(100)), (0, 32_000));
    assert!((6_000..6_800).contains(&bits(20)), "{}", bits(20));
}

/// SM-09: launches that cannot be are refused with the reason.
#[rstest]
#[case("n", 1 << 30, "global memory of kernel k is")]
#[case("m", 1, "kernel k has no parameter `m`; it has n")]
#[case("n", 0, "section `a` of kernel k: an expression divides by zero")]
fn bad_launches_are_refused(#[case] parameter: &str, #[case] value: u32, #[case] message: &str) {
    let kernel = assemble(".kernel k\n.param n = 1\n.memory a, n * (n / n)\nEXIT", "k.s").expect("it assembles");
    let overrides = Overrides { parameters: [(parameter.to_string(), value)].into(), ..Overrides::default() };
    let error = kernel.launch(&overrides).expect_err("it is refused").to_string();
    assert!(error.contains(message), "{error}");
    let huge = Overrides { grid: Some([1 << 24; 3]), ..Overrides::default() };
    assert!(kernel.launch(&huge).expect_err("it is refused").to_string().contains("the grid"));
    let wide = Overrides { block: Some([513, 1, 1]), ..Overrides::default() };
    assert!(kernel.launch(&wide).expect_err("it is refused").to_string().contains("1 to 512"));
}
