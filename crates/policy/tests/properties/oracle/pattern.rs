//! Patterns, matched the slow and obvious way: by trying every way to split the text.

use countersign_domain::describe::{Described, Dialect, Doubt, Part, PathPart, Resource, Surroundings, UrlPart};
use unicode_normalization::UnicodeNormalization;

/// How a pattern that forbids fits a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    No,
    Perhaps,
    Yes,
}

/// What a pattern without a server means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unqualified {
    /// That tool of any server, and a server `*` is also none: in what denies or asks.
    Anything,
    /// That tool of any server: in rules that allow.
    AnyServer,
    /// The tool without a server: in what allows, overrides and declares.
    NoServer,
}

/// The kinds of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Command,
    Path,
    Url,
    Text,
    Nothing,
}

/// A pattern taken apart: `server/tool(inside)`.
pub struct Pattern {
    server: Option<String>,
    tool: String,
    /// What follows `mcp__`.
    spelling: Option<String>,
    inside: Option<String>,
}

impl Pattern {
    pub fn read(text: &str) -> Self {
        let (name, inside) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')').unwrap().to_owned())),
            None => (text, None),
        };
        let spelling = name.strip_prefix("mcp__").filter(|_| !name.contains('/')).map(str::to_owned);
        let split = match &spelling {
            // In what allows only one that can be read in one way.
            Some(spelling) => spelling.split_once("__").filter(|(_, tool)| !tool.contains("__")),
            None => name.split_once('/'),
        };
        let (server, tool) = split.map_or((None, name), |(server, tool)| (Some(server.to_owned()), tool));
        Self { server, tool: tool.to_owned(), spelling, inside }
    }

    /// The same pattern, for this server.
    pub fn of(self, server: Option<&str>) -> Self {
        Self { server: server.map(str::to_owned).or(self.server), ..self }
    }

    /// The one tool that it names, if it names one: which server's, and which.
    pub fn one_tool(&self) -> Option<(Option<&str>, &str)> {
        let plain = |name: &str| !name.contains('*');
        let one = plain(&self.tool) && self.server.as_deref().is_none_or(plain);
        one.then_some((self.server.as_deref(), &*self.tool))
    }

    /// Whether what stands in the brackets says something of things of this kind.
    pub fn speaks_of(&self, kind: Kind) -> bool {
        match (&self.inside, kind) {
            (None, _) | (_, Kind::Command | Kind::Text) => true,
            (Some(inside), Kind::Path) => is_path_pattern(inside),
            (Some(inside), Kind::Url) => is_url_pattern(inside),
            (Some(_), Kind::Nothing) => false,
        }
    }

    pub fn has_brackets(&self) -> bool {
        self.inside.is_some()
    }

    /// Whether it speaks of this tool, whatever the call touches.
    pub fn names(&self, call: &Described, unqualified: Unqualified) -> bool {
        let server = match (&self.server, call.call.server()) {
            (Some(pattern), Some(server)) => name_matches(pattern, server),
            (Some(pattern), None) => unqualified == Unqualified::Anything && name_matches(pattern, ""),
            (None, Some(_)) => unqualified != Unqualified::NoServer,
            (None, None) => true,
        };
        // "`mcp__server__tool` becomes `server/tool`": in a denial, wherever the name can be split.
        let joined = call.call.server().map(|server| format!("{server}__{}", call.call.tool()));
        let split =
            self.spelling.as_ref().zip(joined).is_some_and(|(spelling, joined)| name_matches(spelling, &joined));
        (server && name_matches(&self.tool, call.call.tool())) || (unqualified == Unqualified::Anything && split)
    }

    /// In what forbids or asks: whether any part of the call matches.
    pub fn hits(&self, call: &Described) -> Fit {
        if !self.names(call, Unqualified::Anything) {
            return Fit::No;
        }
        let Some(inside) = &self.inside else { return Fit::Yes };
        match &call.resource {
            Resource::Nothing => Fit::No,
            Resource::NotUnderstood => Fit::Perhaps,
            Resource::Parts(parts) => {
                let fit = parts.iter().map(|part| part_hit(inside, part, call)).max().unwrap_or(Fit::No);
                // "That tool of any server", of which it is not known what it touches.
                let one_server = self.server.as_ref().is_some_and(|server| !server.contains('*'));
                if call.undeclared_namesake && !one_server { fit.max(Fit::Perhaps) } else { fit }
            }
        }
    }

    /// In deny grants: what is denied to the file tools is denied to a command that names the file.
    pub fn denies_files_of(&self, call: &Described) -> Fit {
        let names_file_tool = FILE_TOOLS.iter().any(|tool| name_matches(&self.tool, tool));
        let unqualified = self.server.as_ref().is_none_or(|server| name_matches(server, ""));
        let (Some(inside), Resource::Parts(parts), true) =
            (&self.inside, &call.resource, names_file_tool && unqualified)
        else {
            return Fit::No;
        };
        if !is_path_pattern(inside) {
            return if parts.iter().any(|part| matches!(part, Part::Command { .. })) { Fit::Perhaps } else { Fit::No };
        }
        let lines = parts.iter().filter_map(|part| match part {
            Part::Command { line, dialect: Dialect::Posix } => Some(line),
            _ => None,
        });
        lines.map(|line| names_file(inside, line, call)).max().unwrap_or(Fit::No)
    }

    /// In what allows: whether this part is covered. Nobody asks this of a call in doubt.
    pub fn covers(&self, part: &Part, call: &Described) -> bool {
        match (&self.inside, part) {
            (None, _) => true,
            (_, Part::Url(url)) if url.odd.is_some() => false,
            (Some(inside), part) => part_covered(inside, part, call),
        }
    }
}

impl Pattern {
    /// In what allows: whether it covers anything of the call.
    pub fn helps(&self, call: &Described) -> bool {
        let covers = match &call.resource {
            Resource::NotUnderstood => false,
            Resource::Nothing => !self.has_brackets(),
            Resource::Parts(parts) => parts.iter().any(|part| self.covers(part, call)),
        };
        covers && self.names(call, Unqualified::NoServer)
    }
}

/// Whether a name hides what it is, and so matches no allow.
pub fn disguised(call: &Described) -> bool {
    call.doubts.iter().any(|doubt| matches!(doubt, Doubt::Name(_)))
}

/// Whether these patterns together cover every part of the call.
pub fn cover_all(patterns: &[Pattern], call: &Described) -> bool {
    let speaking: Vec<&Pattern> =
        patterns.iter().filter(|pattern| pattern.names(call, Unqualified::NoServer)).collect();
    match &call.resource {
        _ if !call.doubts.is_empty() => false,
        Resource::NotUnderstood => false,
        Resource::Nothing => speaking.iter().any(|pattern| !pattern.has_brackets()),
        Resource::Parts(parts) => parts.iter().all(|part| speaking.iter().any(|pattern| pattern.covers(part, call))),
    }
}

fn part_hit(inside: &str, part: &Part, call: &Described) -> Fit {
    let yes = |hit: bool| if hit { Fit::Yes } else { Fit::No };
    match part {
        Part::Text(text) => yes(text_matches(inside, text)),
        // What says nothing of paths or of addresses may have been meant for this one.
        Part::Path(_) if !is_path_pattern(inside) => Fit::Perhaps,
        Part::Url(_) if !is_url_pattern(inside) => Fit::Perhaps,
        Part::Path(path) => {
            let anywhere = || path.spellings.iter().any(|spelling| in_any_folder(inside, spelling));
            let fit = match place(inside, call) {
                Some(_) if path.adrift => Fit::Perhaps,
                Some(pattern) => yes(path.spellings.iter().any(|spelling| path_matches(&pattern, spelling))),
                // Whose home? One that is not known may be any folder.
                None if at_home(inside) => {
                    if anywhere() {
                        Fit::Perhaps
                    } else {
                        Fit::No
                    }
                }
                None => yes(anywhere()),
            };
            if path.adrift { fit.max(Fit::Perhaps) } else { fit }
        }
        Part::Url(url) => yes(url_hit(inside, url)),
        Part::Command { line, dialect: Dialect::Posix } => {
            if simple_commands(line).iter().any(|command| command_matches(inside, command)) {
                Fit::Yes
            } else if is_plain(line) {
                Fit::No
            } else {
                Fit::Perhaps
            }
        }
        // Not taken apart: the first word is all that can be told, in whatever case.
        Part::Command { line, dialect: Dialect::Windows } => {
            let first = |text: &str| text.split([' ', ':', '\n']).next().unwrap_or_default().to_lowercase();
            if first(line) == first(inside) { Fit::Yes } else { Fit::Perhaps }
        }
    }
}

fn part_covered(inside: &str, part: &Part, call: &Described) -> bool {
    match part {
        // Silent in the specification: a wildcard does not cover what a reader would not see.
        Part::Text(text) => text_matches(inside, text) && (literal(inside).is_some() || !text.contains('\u{200b}')),
        Part::Path(_) if !is_path_pattern(inside) => false,
        Part::Url(_) if !is_url_pattern(inside) => false,
        Part::Path(path) => {
            let wild = inside.contains(['*', '?']);
            let covered = |pattern: String| path.spellings.iter().all(|spelling| path_matches(&pattern, spelling));
            !(path.adrift || wild && path.odd.is_some()) && place(inside, call).is_some_and(covered)
        }
        Part::Url(url) => url_covered(inside, url),
        Part::Command { line, .. } => literal(inside).is_some_and(|text| text == *line),
    }
}

/// `.` and `..` are resolved, which cannot be done where nobody knows what stands before them.
fn is_path_pattern(inside: &str) -> bool {
    let mut before: Vec<&str> = vec![];
    inside.split('/').all(|segment| match segment {
        ".." => !(before.pop().is_some_and(|last| last.contains(['*', '?'])) || (at_home(inside) && before.is_empty())),
        "" | "." => true,
        name => {
            before.push(name);
            true
        }
    })
}

/// A scheme, a host and a path; no query.
fn is_url_pattern(inside: &str) -> bool {
    let (scheme, rest) = inside.split_once("://").unwrap_or(("https", inside));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (host, port) = host.split_once(':').unwrap_or((host, "443"));
    let labels = host.strip_suffix('.').unwrap_or(host);
    !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphabetic())
        && labels.split('.').all(|label| !label.is_empty())
        // What the URL standard forbids in a host.
        && !labels.replace("\\*", "x").replace("\\)", "x").contains([' ', '#', '<', '>', '?', '@', '[', '\\', ']', '^', '|', '%'])
        && port.parse::<u16>().is_ok()
        && !path.contains(['?', '#'])
}

fn at_home(inside: &str) -> bool {
    inside.starts_with("~/")
}

/// A path pattern made absolute; `None` where nobody knows against what.
fn place(inside: &str, call: &Described) -> Option<String> {
    let whole = match inside.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", call.home.as_ref()?),
        None if inside.starts_with('/') => inside.to_owned(),
        None => format!("{}/{inside}", call.call.cwd()?),
    };
    let mut segments: Vec<&str> = vec![];
    for segment in whole.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    Some(format!("/{}", segments.join("/")))
}

/// A relative pattern that forbids, where there is no working folder: any folder on the way may be the one meant.
fn in_any_folder(inside: &str, spelling: &str) -> bool {
    let beside = inside.trim_start_matches("../");
    let inside = inside.strip_prefix("~/").unwrap_or(beside);
    let (patterns, path) = (segments(inside), segments(spelling));
    (0..=path.len()).any(|n| segments_match(&patterns, &path[n..]))
}

// --- texts -----------------------------------------------------------------------------------------------------------

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '\\' if matches!(chars.peek(), Some('*' | '?' | ')' | '\\')) => Token::Char(chars.next().unwrap()),
            '*' => Token::Many,
            '?' => Token::One,
            other => Token::Char(other),
        });
    }
    tokens
}

/// The text a pattern without wildcards stands for.
fn literal(text: &str) -> Option<String> {
    tokens(text).into_iter().map(|token| if let Token::Char(c) = token { Some(c) } else { None }).collect()
}

/// Whether `tokens` match all of `text`.
fn glob(tokens: &[Token], text: &[char]) -> bool {
    let Some((token, rest)) = tokens.split_first() else { return text.is_empty() };
    match token {
        Token::Char(c) => text.first() == Some(c) && glob(rest, &text[1..]),
        Token::One => !text.is_empty() && glob(rest, &text[1..]),
        Token::Many => (0..=text.len()).any(|n| glob(rest, &text[n..])),
    }
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Names match whole, `*` is the only wildcard, case counts, spelling by normal form does not.
fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern: String = pattern.nfc().collect();
    let literal = |token| if token == Token::One { Token::Char('?') } else { token };
    let pattern: Vec<Token> = tokens(&pattern).into_iter().map(literal).collect();
    glob(&pattern, &name.nfc().collect::<Vec<char>>())
}

fn text_matches(pattern: &str, text: &str) -> bool {
    glob(&tokens(pattern), &chars(text))
}

fn path_matches(pattern: &str, path: &str) -> bool {
    segments_match(&segments(pattern), &segments(path))
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect()
}

/// `**` is any number of folders, none included: so `dir/**` covers `dir` too.
fn segments_match(patterns: &[&str], path: &[&str]) -> bool {
    match (patterns.split_first(), path.split_first()) {
        (None, _) => path.is_empty(),
        (Some((&"**", rest)), _) => (0..=path.len()).any(|n| segments_match(rest, &path[n..])),
        (Some((first, rest)), Some((name, below))) => text_matches(first, name) && segments_match(rest, below),
        (Some(_), None) => false,
    }
}

// --- addresses -------------------------------------------------------------------------------------------------------

/// In what allows, a pattern with only a host means https, and one without a port the scheme's own port.
fn url_covered(pattern: &str, url: &UrlPart) -> bool {
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("https", pattern));
    let (host, port, path) = address(scheme, rest);
    scheme == url.scheme && port == url.port && url_fits(host, &path, url)
}

/// In what denies, whichever scheme and port the pattern leaves out. The scheme's own port counts as left out.
fn url_hit(pattern: &str, url: &UrlPart) -> bool {
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("https", pattern));
    let (host, port, path) = address(scheme, rest);
    let any_scheme = !pattern.contains("://");
    let same = (any_scheme || scheme == url.scheme) && (port.is_none() || port == url.port);
    // A denial of everything leaves nothing out, whatever a host is made of.
    let fits = if host == "*" { text_matches(&path, &url.path) } else { url_fits(host, &path, url) };
    same && fits
}

/// Host, port (if it is not the scheme's own) and path; no path is every path.
fn address<'a>(scheme: &str, text: &'a str) -> (&'a str, Option<u16>, String) {
    let (authority, path) = match text.split_once('/') {
        Some((authority, path)) => (authority, format!("/{path}")),
        None => (text, "/**".to_owned()),
    };
    let own = if scheme == "https" { 443 } else { 80 };
    match authority.split_once(':') {
        Some((host, port)) => (host, port.parse().ok().filter(|port| *port != own), path),
        None => (authority, None, path),
    }
}

/// The specification does not say that `*` stops at a slash in an address, and it does not.
fn url_fits(host: &str, path: &str, url: &UrlPart) -> bool {
    url.host.as_ref().is_some_and(|given| host_matches(host, given)) && text_matches(path, &url.path)
}

fn host_matches(pattern: &str, host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    if let Some(parent) = pattern.strip_prefix("*.") {
        return (1..labels.len()).any(|n| host_matches_labels(parent, &labels[n..]));
    }
    host_matches_labels(pattern, &labels)
}

fn host_matches_labels(pattern: &str, labels: &[&str]) -> bool {
    let patterns: Vec<&str> = pattern.split('.').collect();
    patterns.len() == labels.len() && patterns.iter().zip(labels).all(|(pattern, label)| text_matches(pattern, label))
}

/// The tools that read and write files.
const FILE_TOOLS: &[&str] = &["file_read", "list_files", "file_write", "file_edit"];

/// Whether a word of the line, other than the command words, is a path that `inside` fits.
fn names_file(inside: &str, line: &str, call: &Described) -> Fit {
    let around = Surroundings { home: call.home.clone(), ..Surroundings::default() };
    let commands = simple_commands(line);
    let words = commands.iter().flat_map(|command| command.split(' ').skip(1));
    let paths = words.filter_map(|word| PathPart::read(word, call.call.cwd(), &around).ok());
    let fit = paths.map(|path| part_hit(inside, &Part::Path(path), call)).max().unwrap_or(Fit::No);
    if is_plain(line) { fit } else { fit.max(Fit::Perhaps) }
}

// --- command lines ---------------------------------------------------------------------------------------------------

/// Whether a line is words and separators only, so that everything it does is seen.
pub fn is_plain(line: &str) -> bool {
    line.chars().all(|c| c.is_ascii_alphanumeric() || " &;|/\n".contains(c))
}

/// The simple commands of a line, blanks evened out. Of a line that is not plain: what can be seen of them.
fn simple_commands(line: &str) -> Vec<String> {
    let pieces = line.split(|c: char| "&;|()$<>'\n".contains(c));
    pieces
        .map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|piece| !piece.is_empty())
        .collect()
}

fn command_matches(pattern: &str, command: &str) -> bool {
    if let Some(prefix) = pattern.strip_suffix(":*") {
        return command.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']));
    }
    text_matches(pattern, command)
}
