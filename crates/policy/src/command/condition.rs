//! `test`, `[` and `[[`: which conditions only look.
//!
//! `-v` and `-R` evaluate the index of an array, and `[[` computes what it compares as numbers: both run commands that
//! stand in a value. So a value that only the shell knows must stand where it is nothing but a text.

use super::Word;

/// Whether `words`, the program and its arguments, only look, whatever the values of variables and outputs are.
pub(super) fn only_looks(words: &[Word]) -> bool {
    match words {
        [first, arguments @ .., last] if first.text == "[[" && last.text == "]]" => looks_doubly(arguments),
        [first, arguments @ .., last] if first.text == "[" && last.text == "]" => looks(arguments),
        [first, arguments @ ..] if first.text == "test" => looks(arguments),
        _ => false,
    }
}

/// What an operator is depends on how many words there are, so none of them may become several.
fn looks(arguments: &[Word]) -> bool {
    if arguments.iter().all(|word| word.is_literal() || word.tilde) {
        return true;
    }
    let whole = |word: &Word| !(word.splits || word.glob || word.brace);
    let is = |word: &Word, operators: &[&str]| word.is_literal() && operators.contains(&&*word.text);
    let shape = match arguments {
        [not, rest @ ..] if is(not, &["!"]) && rest.len() > 1 => rest,
        all => all,
    };
    arguments.iter().all(whole)
        && match shape {
            [_] => true,
            [operator, _] => is(operator, LOOKING),
            [_, operator, _] => is(operator, COMPARING) || is(operator, COUNTING),
            _ => false,
        }
}

/// Operators are words of the line; values are texts, unless they are counted with.
fn looks_doubly(arguments: &[Word]) -> bool {
    arguments.iter().enumerate().all(|(i, word)| {
        let counted = |at: Option<usize>| at.and_then(|at| arguments.get(at)).is_some_and(is_number);
        if !word.is_literal() || word.quoted || !word.text.starts_with('-') {
            return true;
        }
        LOOKING.contains(&&*word.text)
            || ["-nt", "-ot", "-ef", "-o"].contains(&&*word.text)
            || (COUNTING.contains(&&*word.text) && counted(i.checked_sub(1)) && counted(Some(i + 1)))
    })
}

/// A number that is written out, or one that the shell itself counts.
fn is_number(word: &Word) -> bool {
    let digits = !word.text.is_empty() && word.text.bytes().all(|b| b.is_ascii_digit());
    (word.is_literal() && digits) || matches!(&*word.text, "$#" | "$?" | "$$" | "$!")
}

const LOOKING: &[&str] = &[
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-n", "-p", "-r", "-s", "-t", "-u", "-w", "-x", "-z", "-G",
    "-L", "-N", "-O", "-S",
];
const COMPARING: &[&str] = &["=", "==", "!=", "-nt", "-ot", "-ef", "<", ">"];
const COUNTING: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

#[cfg(test)]
mod tests {
    use super::super::Analysis;
    use super::only_looks;

    fn looks(line: &str) -> bool {
        let analysis = Analysis::of(line);
        assert_eq!(analysis.opaque, None, "{line}");
        analysis.commands.iter().filter(|command| !command.words.is_empty()).all(|command| only_looks(&command.words))
    }

    #[test]
    fn a_value_is_harmless_where_it_is_only_a_text() {
        for line in [
            "[ -f x ]",
            "[ -z \"$x\" ]",
            "[ ! -d \"$x\" ]",
            "[ \"$x\" = y ]",
            "[ ! \"$x\" = y ]",
            "test -n \"$x\"",
            "[ \"$x\" -gt 3 ]",
            "[[ -f x ]]",
            "[[ $x == *.txt ]]",
            "[[ -n $x && ! -d $y ]]",
            "[[ $# -eq 2 ]]",
            "[[ $x =~ ^[0-9]+$ ]]",
        ] {
            assert!(looks(line), "{line}");
        }
        for line in [
            "[ -z $x ]",
            "[ \"$x\" \"$y\" ]",
            "[ \"$x\" -a \"$y\" ]",
            "[ $x = y ]",
            "[ -f * ]",
            "test \"$@\"",
            "[[ $x -eq 1 ]]",
            "[[ 1 -eq $x ]]",
            "[[ a -eq 1 ]]",
            "[[ -v $x ]]",
            "[[ -v x ]]",
            "[[ -R x ]]",
            "[ -f x",
        ] {
            assert!(!looks(line), "{line}");
        }
    }
}
