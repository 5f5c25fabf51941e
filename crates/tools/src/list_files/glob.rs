//! Patterns of file names.

/// A pattern of a name, or of a path if it has a slash. `*` and `?` stay within a name, `**` does not.
#[derive(Debug)]
pub struct Glob {
    parts: Vec<Vec<char>>,
    by_path: bool,
}

/// Longer patterns are refused: matching takes time in proportion to the pattern.
const LONGEST: usize = 256;

impl Glob {
    /// The pattern `given`.
    pub fn read(given: &str) -> Result<Self, String> {
        if given.is_empty() || given.len() > LONGEST {
            return Err(format!("The argument `pattern` must have 1 to {LONGEST} bytes. Nothing was done."));
        }
        let by_path = given.contains('/');
        let parts = given.trim_matches('/').split('/').map(|part| part.chars().collect()).collect();
        Ok(Self { parts, by_path })
    }

    /// Whether it fits the path `path`, whose names are separated by slashes.
    pub fn fits(&self, path: &str) -> bool {
        let names: Vec<Vec<char>> = path.split('/').map(|name| name.chars().collect()).collect();
        if self.by_path {
            return matches(&self.parts, &names, |part| part == &['*', '*'], |part, name| fits_name(part, name));
        }
        self.parts.first().zip(names.last()).is_some_and(|(part, name)| fits_name(part, name))
    }
}

fn fits_name(pattern: &[char], name: &[char]) -> bool {
    matches(pattern, name, |c| *c == '*', |c, d| *c == '?' || c == d)
}

/// Whether `pattern` fits all of `text`: each piece fits one piece of the text, a wild one any number of them.
///
/// Going back to the last wild piece is enough, so this takes no more than the product of both lengths.
fn matches<P, T>(pattern: &[P], text: &[T], is_wild: impl Fn(&P) -> bool, fits: impl Fn(&P, &T) -> bool) -> bool {
    let (mut at, mut from, mut wild) = (0, 0, None);
    while let Some(piece) = text.get(from) {
        match pattern.get(at) {
            Some(part) if is_wild(part) => {
                wild = Some((at, from));
                at += 1;
            }
            Some(part) if fits(part, piece) => (at, from) = (at + 1, from + 1),
            _ => {
                let Some((star, start)) = wild else { return false };
                wild = Some((star, start + 1));
                (at, from) = (star + 1, start + 1);
            }
        }
    }
    pattern.iter().skip(at).all(is_wild)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_names_or_paths() {
        for (pattern, fitting, others) in [
            ("*.rs", vec!["a.rs", "src/b.rs", ".rs"], vec!["a.rsx", "a.rs/b"]),
            ("a?c", vec!["abc", "x/aéc"], vec!["ac", "abbc"]),
            ("src/*.rs", vec!["src/a.rs"], vec!["a.rs", "src/x/a.rs", "x/src/a.rs"]),
            ("src/**/*.rs", vec!["src/a.rs", "src/x/y/a.rs"], vec!["srcs/a.rs", "src/a.md"]),
            ("**/test_*", vec!["test_a", "x/y/test_"], vec!["x/test_a/b"]),
            ("/src", vec!["src"], vec!["x/src"]),
            ("*a*a*b", vec!["aab", "xaxaxb"], vec!["ab", "aaba"]),
        ] {
            let glob = Glob::read(pattern).unwrap();
            assert!(fitting.iter().all(|path| glob.fits(path)), "{pattern}: {fitting:?}");
            assert!(!others.iter().any(|path| glob.fits(path)), "{pattern}: {others:?}");
        }
        assert!(Glob::read("").is_err() && Glob::read(&"*".repeat(300)).is_err());
    }

    #[test]
    fn no_pattern_takes_long() {
        let glob = Glob::read(&"*a".repeat(100)).unwrap();
        assert!(!glob.fits(&"a".repeat(255).replace("aaa", "aab")));
    }
}
