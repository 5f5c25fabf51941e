//! No input makes the analysis panic, recurse or hang.

use countersign_policy::command::Analysis;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn arbitrary_text_never_panics(line in any::<String>()) {
        let _ = Analysis::of(&line);
    }

    #[test]
    fn nearly_shell_never_panics(line in r#"[a-c$(){}<>|&;'"`\\ \n=#\[\]*!~-]{0,80}"#) {
        let _ = Analysis::of(&line);
    }
}

/// Shapes that make careless parsers slow or deep, at the longest a call may be. They end in the time of any test.
#[test]
fn the_longest_lines_are_read_in_one_pass() {
    let shapes = [
        "$(",
        "\"$(",
        "`",
        "'",
        "\"",
        "$'",
        "${",
        "${a:-",
        "(",
        "{ ",
        "((",
        "<(",
        "<<E ",
        "<<E\n",
        "a;",
        "a|",
        "a&&",
        "\\",
        "\\\n",
        "# ",
        "if ",
        "! ",
        "sudo ",
        "env ",
        "eval ",
        "eval eval ",
        "bash -c '",
        "timeout 1 ",
        "find -exec ",
        "a=1 ",
        ">f ",
        "*",
        "{a,",
        "$a",
        "é",
        "\u{0301}",
        "a ",
        "xargs ",
        "ssh h ",
        "nice env sudo ",
        "$'\\x41",
        "<<'E'\nx\n",
    ];
    for shape in shapes {
        let line = shape.repeat(256 * 1024 / shape.len());
        let analysis = Analysis::of(&line);
        assert!(analysis.commands.len() <= line.len(), "{shape}");
    }
}
