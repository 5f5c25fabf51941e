//! Whatever is written as a condition, reading it neither panics nor runs out of stack.

use countersign_policy::Condition;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

const OPENINGS: &[&str] =
    &["[", "(", "{", "[[", "((", "{\"a\":", "size(", "a[", "!", "-", "!(", "args.", "true ? ", "[1].map(x, "];
const PIECES: &[&str] = &[
    "]", ")", "}", "1", "args", "true", " && ", " || ", "x", "\"", "'", ",", ":", " in ", ".all(y, ", "\\", "/*", "//",
];

/// Openings that repeat until the text is as long as it may be and beyond, then anything.
fn dense() -> impl Strategy<Value = String> {
    let run = (prop::sample::select(OPENINGS), 1..2000usize).prop_map(|(opening, times)| opening.repeat(times));
    let piece = prop_oneof![3 => run, 2 => prop::sample::select(PIECES).prop_map(str::to_owned)];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| {
        let text = pieces.concat();
        let end = (0..=text.len().min(4096)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.get(..end).unwrap_or_default().to_owned()
    })
}

/// Balanced nesting, as deep as the limit of 2 KiB lets it be.
fn nested() -> impl Strategy<Value = String> {
    let pair = prop::sample::select(
        &[("(", ")"), ("[", "]"), ("{1:", "}"), ("size(", ")"), ("[1].all(x, ", ")"), ("!", "")][..],
    );
    (pair, 1..1024usize).prop_map(|((open, close), deep)| format!("{}true{}", open.repeat(deep), close.repeat(deep)))
}

#[test]
fn reading_a_condition_needs_little_stack_and_never_panics() {
    let texts =
        prop_oneof![2 => any::<String>(), 3 => dense(), 2 => nested(), 2 => "[\\[\\](){}a.0 ,!?:&|=<>+*\"-]{0,200}"];
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let run = move || {
        let mut runner = TestRunner::new(crate::cases());
        let read = runner.run(&texts, |text| {
            // Only what it says is of no interest here.
            drop(Condition::compile(&text));
            Ok(())
        });
        if let Err(TestError::Fail(why, text)) = read {
            panic!("`{text}`: {why}");
        }
    };
    small.spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_condition_longer_than_two_kibibytes_is_refused() {
    let condition = format!("\"{}\" == args.a", "x".repeat(2048));
    assert!(Condition::compile(&condition).is_err());
}
