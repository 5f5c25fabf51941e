//! Lines that were once read differently from bash.

use crate::cage::caged;
use countersign_policy::command::Analysis;

/// The command words that bash executes of `line`.
fn executed(line: &str) -> Vec<String> {
    caged(|cage| cage.run(line, 0)).unwrap().into_iter().filter_map(|words| words.into_iter().next()).collect()
}

#[test]
fn a_name_before_a_bracket_is_read_up_to_the_closing_one() {
    for line in ["ls[ x; rm y ]", "fi[[ x ]]", "x=1 ls[ y ] z"] {
        assert!(Analysis::of(line).opaque.is_some(), "{line}");
    }
    assert_eq!(executed("ls[ x; rm y ]"), ["ls[ x; rm y ]"]);
}

#[test]
fn a_sign_may_go_on_in_the_next_line() {
    for line in ["aa \"$\\\n(rm)\"", "aa $\\\n'b'", "aa <\\\n(rm)", "aa <<\\\n-E\nb\n\tE\nrm\n-E", "aa $(\\\n(rm))"] {
        assert!(Analysis::of(line).opaque.is_some(), "{line}");
    }
    assert_eq!(executed("aa \"$\\\n(rm)\""), ["rm", "aa"]);
    for line in ["aa |\\\nbb", "aa &&\\\n bb", "aa \\\n x"] {
        assert_eq!(Analysis::of(line).opaque, None, "{line}");
    }
}

#[test]
fn after_an_assignment_or_a_redirection_for_is_no_loop() {
    for line in ["x=1 for i in a", "> f for i in a"] {
        let analysis = Analysis::of(line);
        assert_eq!(analysis.opaque, None, "{line}");
        assert!(analysis.commands.iter().any(|command| command.program() == Some("for")), "{line}");
        assert_eq!(executed(line), ["for"], "{line}");
    }
}

/// Bash knows `time` at the start of a pipeline only, and within what a word of its own begins; anywhere else it is a program.
#[test]
fn after_a_pipe_time_is_a_program_in_the_next_line_too() {
    for line in ["aa | time bb", "aa |\ntime bb", "aa | \\\n\ntime bb", "aa |& time bb"] {
        let analysis = Analysis::of(line);
        assert_eq!(analysis.opaque, None, "{line}");
        assert!(analysis.commands.iter().any(|command| command.program() == Some("time")), "{line}");
        assert!(executed(line).contains(&"time".to_owned()), "{line}");
    }
    for line in [
        "time aa",
        "aa | bb\ntime cc",
        "aa | (bb)\ntime cc",
        "aa | { time bb; }",
        "aa | {\ntime bb; }",
        "aa |\n(time bb)",
    ] {
        let analysis = Analysis::of(line);
        assert!(!analysis.commands.iter().any(|command| command.program() == Some("time")), "{line}");
        assert!(!executed(line).contains(&"time".to_owned()), "{line}");
    }
}
