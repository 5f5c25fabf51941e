//! Paths: made absolute, `.`, `..` and `~` resolved, in every spelling that leads to the same place.

use super::Surroundings;
use crate::disguise;

/// A path as a call names it, and every spelling of where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPart {
    /// As given.
    pub given: String,
    /// The lexical spelling first, then where links lead, then what `/proc` names lead to. Absolute, unless there is no
    /// working folder to make a relative path absolute with. An allow must cover all of them, a deny any.
    pub spellings: Vec<String>,
    /// The path stays relative: nobody knows where it leads.
    pub adrift: bool,
    /// Why no wildcard covers it.
    pub odd: Option<&'static str>,
}

impl PathPart {
    /// The path `given`, in the working folder `cwd`.
    pub fn read(given: &str, cwd: Option<&str>, around: &Surroundings) -> Result<Self, &'static str> {
        if given.is_empty() {
            return Err("it is empty");
        }
        if given.contains('\0') {
            return Err("it holds a NUL");
        }
        let whole = match home_relative(given) {
            Some(rest) => {
                format!("{}/{rest}", around.home.as_deref().ok_or("`~` is used, and no home folder is known")?)
            }
            None if given.starts_with('/') => given.to_owned(),
            None => cwd.map_or_else(|| given.to_owned(), |cwd| format!("{cwd}/{given}")),
        };
        if whole.split('/').count() > MOST_SEGMENTS {
            return Err("it has too many segments");
        }
        let adrift = !whole.starts_with('/');
        let mut spellings = vec![normal(&whole)];
        if !adrift {
            add_places(&mut spellings, &whole, given, cwd, around);
        }
        Ok(Self { given: given.to_owned(), spellings, adrift, odd: odd(given) })
    }

    /// The spelling that is shown and remembered.
    pub fn canonical(&self) -> &str {
        self.spellings.first().map_or(&self.given, String::as_str)
    }
}

/// What follows `~/`, if the path starts at the home folder.
pub fn home_relative(path: &str) -> Option<&str> {
    if path == "~" { Some("") } else { path.strip_prefix("~/") }
}

/// The folder that `glob`, given for a search of `folder`, starts from: the names before its first wildcard. The path
/// itself, if it has none.
pub(super) fn glob_start(folder: &str, glob: &str) -> Result<String, &'static str> {
    let (before, open) = glob.split_at(glob.find(['*', '?', '[', '{', '(']).unwrap_or(glob.len()));
    if glob.contains('\0') {
        return Err("it holds a NUL");
    }
    if open.contains("..") {
        return Err("`..` stands after a wildcard");
    }
    // `{src,/etc}/*` starts from two places.
    if before.is_empty() && ["{/", ",/", "{~", ",~"].iter().any(|start| open.contains(start)) {
        return Err("it starts from several places");
    }
    let names = if open.is_empty() { before } else { before.rfind('/').map_or("", |end| before.split_at(end + 1).0) };
    let absolute = names.starts_with('/') || home_relative(names).is_some();
    Ok(if absolute { names.to_owned() } else { format!("{folder}/{names}") })
}

/// `path` without `.`, `..`, doubled or trailing slashes. A relative path keeps the `..` it starts with.
pub fn normal(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => match kept.last() {
                Some(&last) if last != ".." => drop(kept.pop()),
                _ if absolute => {}
                _ => kept.push(".."),
            },
            name => kept.push(name),
        }
    }
    match (absolute, kept.join("/")) {
        (true, rest) => format!("/{rest}"),
        (false, rest) if rest.is_empty() => ".".to_owned(),
        (false, rest) => rest,
    }
}

/// Adds every place that `whole` leads to: by links, by what `/proc` calls the working folder, and by both in turn.
fn add_places(spellings: &mut Vec<String>, whole: &str, given: &str, cwd: Option<&str>, around: &Surroundings) {
    let lexical = normal(whole);
    let told = around.paths.get(given).or_else(|| around.paths.get(&lexical)).filter(|told| told.starts_with('/'));
    // As written, with `..` taken after links, and with `..` taken first: programs do one or the other.
    let mut ahead: Vec<String> = [Some(whole.to_owned()), Some(lexical), told.cloned()].into_iter().flatten().collect();
    let mut seen = 0;
    while let Some(path) = ahead.get(seen).cloned().filter(|_| seen < MOST_SPELLINGS) {
        seen += 1;
        let found = [Some(follow(&path, around)), proc_alias(&path, cwd), Some(normal(&path))];
        for place in found.into_iter().flatten() {
            if !ahead.contains(&place) {
                ahead.push(place.clone());
            }
            let place = normal(&place);
            if !spellings.contains(&place) {
                spellings.push(place);
            }
        }
    }
}

/// Places that one path may lead to.
const MOST_SPELLINGS: usize = 32;
/// Links on the way that are followed before the path is taken for a loop.
const MOST_LINKS: usize = 40;
/// Nothing real is deeper.
const MOST_SEGMENTS: usize = 4096;

/// Walks `path` from the root as the system would, with the known links.
fn follow(path: &str, around: &Surroundings) -> String {
    if around.paths.is_empty() {
        return normal(path);
    }
    let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let (mut here, mut links) = (String::new(), 0);
    while let Some(segment) = ahead.pop() {
        match segment.as_str() {
            "" | "." => {}
            ".." => here.truncate(here.rfind('/').unwrap_or(0)),
            name => {
                here.push('/');
                here.push_str(name);
                if let Some(target) = around.paths.get(&here).filter(|_| links < MOST_LINKS) {
                    links += 1;
                    here.truncate(if target.starts_with('/') { 0 } else { here.rfind('/').unwrap_or(0) });
                    ahead.extend(target.split('/').rev().map(str::to_owned));
                }
            }
        }
    }
    if here.is_empty() { "/".to_owned() } else { here }
}

/// Where `/proc/self/cwd/…` and `/proc/self/root/…` lead.
fn proc_alias(path: &str, cwd: Option<&str>) -> Option<String> {
    let mut rest = path.strip_prefix("/proc/")?;
    let (process, after) = rest.split_once('/')?;
    let known = matches!(process, "self" | "thread-self") || process.bytes().all(|b| b.is_ascii_digit());
    rest = known.then_some(after)?;
    if let Some((_, after_task)) = rest.strip_prefix("task/").and_then(|task| task.split_once('/')) {
        rest = after_task;
    }
    let (link, inside) = rest.split_once('/').unwrap_or((rest, ""));
    match link {
        "cwd" => cwd.map(|cwd| format!("{cwd}/{inside}")),
        "root" => Some(format!("/{inside}")),
        _ => None,
    }
}

/// Spellings that one program reads one way and the next another.
fn odd(given: &str) -> Option<&'static str> {
    let lower = || given.to_ascii_lowercase();
    if disguise::hidden_in(given).is_some() {
        Some("it holds a control or invisible character")
    } else if given.contains('\\') {
        Some("it holds a backslash, which some systems take for a separator")
    } else if given.contains("://") || matches!(given.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic()) {
        Some("it may be read as an address or a drive")
    } else if given.contains('%') && ["%2e", "%2f", "%5c", "%00"].iter().any(|code| lower().contains(code)) {
        Some("it holds an encoded dot, slash or backslash")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn around(links: &[(&str, &str)]) -> Surroundings {
        let paths = links.iter().map(|&(from, to)| (from.to_owned(), to.to_owned())).collect();
        Surroundings { home: Some("/home/dev".into()), paths }
    }

    fn spellings(given: &str, links: &[(&str, &str)]) -> Vec<String> {
        PathPart::read(given, Some("/srv/repo"), &around(links)).unwrap().spellings
    }

    #[test]
    fn a_path_is_made_absolute() {
        for (given, expected) in [
            ("./docs/a.md", "/srv/repo/docs/a.md"),
            ("docs//a.md/", "/srv/repo/docs/a.md"),
            ("..", "/srv"),
            ("../../../../etc", "/etc"),
            ("~/.zshrc", "/home/dev/.zshrc"),
            ("~", "/home/dev"),
            ("/", "/"),
            ("~other/x", "/srv/repo/~other/x"),
            (".", "/srv/repo"),
        ] {
            assert_eq!(spellings(given, &[]), [expected], "{given}");
        }
    }

    #[test]
    fn links_are_followed_wherever_they_stand() {
        assert_eq!(
            spellings("docs/key", &[("/srv/repo/docs/key", "/home/dev/.ssh/id")]),
            ["/srv/repo/docs/key", "/home/dev/.ssh/id"]
        );
        assert_eq!(
            spellings("./s/api.key", &[("./s/api.key", "/srv/repo/secrets/api.key")]),
            ["/srv/repo/s/api.key", "/srv/repo/secrets/api.key"]
        );
        assert_eq!(
            spellings("s/api.key", &[("/srv/repo/s", "secrets")]),
            ["/srv/repo/s/api.key", "/srv/repo/secrets/api.key"]
        );
        assert_eq!(spellings("s/../x", &[("/srv/repo/s", "/var/data")]), ["/srv/repo/x", "/var/x"]);
        assert!(spellings("a", &[("/srv/repo/a", "b"), ("/srv/repo/b", "a")]).len() <= 2, "a loop ends");
        let chain = [("/srv/repo/docs/k", "/srv/repo/b"), ("/srv/repo/b", "secrets/k")];
        assert!(spellings("docs/k", &chain).contains(&"/srv/repo/secrets/k".to_owned()), "a chain is followed");
        let two = [("/srv/repo/x", "/elsewhere/y"), ("/srv/repo/s", "secrets")];
        assert!(spellings("x/../s/k", &two).contains(&"/srv/repo/secrets/k".to_owned()), "either way");
    }

    #[test]
    fn proc_names_of_the_working_folder_are_seen_through() {
        assert_eq!(spellings("/proc/self/cwd/secrets/k", &[]), ["/proc/self/cwd/secrets/k", "/srv/repo/secrets/k"]);
        assert_eq!(spellings("/proc/42/root/etc/passwd", &[]), ["/proc/42/root/etc/passwd", "/etc/passwd"]);
        assert_eq!(spellings("/proc/self/task/7/cwd", &[]), ["/proc/self/task/7/cwd", "/srv/repo"]);
        assert_eq!(spellings("/proc/self/environ", &[]).len(), 1);
        for given in
            ["/proc/self/root/proc/self/cwd/secrets/k", "/proc/self/cwd/../repo/secrets/k", "/proc/self/cwd/s/k"]
        {
            let places = spellings(given, &[("/srv/repo/s", "secrets")]);
            assert!(places.contains(&"/srv/repo/secrets/k".to_owned()), "{given}: {places:?}");
        }
    }

    #[test]
    fn without_a_working_folder_a_relative_path_stays_adrift() {
        let part = PathPart::read("../a/./b", None, &around(&[])).unwrap();
        assert!(part.adrift);
        assert_eq!(part.canonical(), "../a/b");
        assert!(PathPart::read("~/x", None, &Surroundings::default()).is_err());
    }

    #[test]
    fn a_glob_starts_where_its_first_wildcard_stands() {
        for (glob, start) in [
            ("**/*.rs", "src/"),
            ("a/b*/c", "src/a/"),
            ("/etc/**", "/etc/"),
            ("/*", "/"),
            ("~/x/*", "~/x/"),
            ("../*", "src/../"),
            ("a/b", "src/a/b"),
            ("{a,b}/*.rs", "src/"),
            ("", "src/"),
        ] {
            assert_eq!(glob_start("src", glob).as_deref(), Ok(start), "{glob}");
        }
        for glob in ["*/../../etc/*", "{a,..}/x", "{a,/etc}/*", "{~/.ssh,b}/*", "a\0*"] {
            assert!(glob_start("src", glob).is_err(), "{glob}");
        }
    }

    #[test]
    fn odd_spellings_are_marked() {
        for given in ["a\nb", "docs\\x", "C:/x", "file:///etc/passwd", "docs/%2E%2e/x", "a\u{202e}b"] {
            assert!(PathPart::read(given, Some("/"), &around(&[])).unwrap().odd.is_some(), "{given:?}");
        }
        assert!(PathPart::read("日本語/a b.md", Some("/"), &around(&[])).unwrap().odd.is_none());
    }

    proptest! {
        #[test]
        fn a_normal_path_is_normal(path in "[a./~]{0,20}") {
            prop_assert_eq!(normal(&normal(&path)), normal(&path));
        }

        #[test]
        fn reading_never_panics(given in any::<String>(), cwd in proptest::option::of(any::<String>()), from in any::<String>(), to in any::<String>()) {
            let cwd = cwd.map(|cwd| format!("/{cwd}"));
            let _ = PathPart::read(&given, cwd.as_deref(), &around(&[(&from, &to)]));
        }
    }
}
