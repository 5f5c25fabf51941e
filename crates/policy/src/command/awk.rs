//! Scripts of awk: which of them neither write a file nor run a program, by their signs alone.

/// Whether no sign of `script` can be a redirection or a pipe. Only a `print` is ever redirected, so what stands before
/// the first one compares; `||` is a condition.
pub(super) fn is_harmless(script: &str) -> bool {
    let after_print = script.find("print").and_then(|at| script.get(at..)).unwrap_or_default();
    // A field separator that stands alone is no script.
    script == "|" || (!after_print.contains('>') && !script.replace("||", "").contains('|'))
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn only_comparing_and_printing_is_harmless() {
        for script in
            ["{print $1}", "$3 > 10 {print $1}", "length > 80", "$1 == 2 || $2 > 3", "{ if ($1 >= 2) print }", "|"]
        {
            assert!(is_harmless(script), "{script}");
        }
        for script in [
            "{print > \"f\"}",
            "{print \"}\" > \"f\"}",
            "{printf \"%s\", $1 >> \"f\"}",
            "$1 > 2 {print $1 > \"f\"}",
            "{print | \"sh\"}",
            "{\"id\" | getline x}",
            "{print ||| \"sh\"}",
            "{print |& \"sh\"}",
        ] {
            assert!(!is_harmless(script), "{script}");
        }
    }
}
