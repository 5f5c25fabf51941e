//! HTML as text that one can read: no markup, no scripts, links with where they lead.
//!
//! Pages are written by strangers: nothing here nests, so nothing grows with how deep a page does.

use super::entity::unescaped;
use reqwest::Url;

/// The text of a page that came from `base`.
pub fn text(html: &str, base: &Url) -> String {
    let mut writer = Writer::default();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        writer.words(before);
        rest = if let Some((tag, after)) = Tag::read(after) {
            writer.tag(&tag, after, base)
        } else {
            writer.words("<");
            after
        };
    }
    writer.words(rest);
    writer.end()
}

/// A tag: its name in lower case, and its attributes as they stand.
struct Tag<'a> {
    name: String,
    closes: bool,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// The tag that `text` starts with, after its `<`, and what follows it.
    fn read(text: &'a str) -> Option<(Self, &'a str)> {
        if let Some(comment) = text.strip_prefix("!--") {
            let after = comment.split_once("-->").map_or("", |(_, after)| after);
            return Some((Self { name: "!".to_owned(), closes: false, attributes: "" }, after));
        }
        if !text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            return None;
        }
        let end = end_of_tag(text);
        let (inside, after) = text.split_at_checked(end)?;
        let after = after.strip_prefix('>').unwrap_or(after);
        let (closes, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
        let name_ends = inside.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inside.len());
        let (name, attributes) = inside.split_at_checked(name_ends)?;
        Some((Self { name: name.to_ascii_lowercase(), closes, attributes }, after))
    }

    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        while let Some((name, after)) = rest.split_once('=') {
            let name = name.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
            let after = after.trim_start();
            let (value, left) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => after.get(1..)?.split_once(quote).unwrap_or((after, "")),
                _ => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(unescaped(value));
            }
            rest = left;
        }
        None
    }
}

/// Where the tag ends: at the first `>` that is not within quotes.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    // A quote that is never closed closes nothing.
    text.find('>').unwrap_or(text.len())
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Where the link that is open leads, and where in the text it starts.
    link: Option<(String, usize)>,
    preformatted: bool,
    /// Blanks wait until it is clear that something follows on the same line.
    blank: bool,
}

impl Writer {
    fn words(&mut self, escaped: &str) {
        let text = unescaped(escaped);
        if self.preformatted {
            self.out.push_str(&text);
            return;
        }
        self.blank |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            self.space();
            self.out.push_str(word);
            self.blank = true;
        }
        self.blank = text.ends_with(char::is_whitespace) || (self.blank && text.is_empty());
    }

    /// Puts the blank that waits, where one is needed.
    fn space(&mut self) {
        if self.blank && !self.out.is_empty() && !self.out.ends_with([' ', '\n', '[']) {
            self.out.push(' ');
        }
    }

    /// Takes a tag, and gives what is left after it.
    fn tag<'a>(&mut self, tag: &Tag<'_>, after: &'a str, base: &Url) -> &'a str {
        match (tag.name.as_str(), tag.closes) {
            ("script" | "style" | "noscript" | "template" | "svg" | "iframe" | "textarea", false) => {
                return after_end(after, &tag.name);
            }
            ("a", false) => {
                self.close_link();
                let href = tag.attribute("href").and_then(|href| base.join(&href).ok());
                if let Some(href) = href.filter(|href| matches!(href.scheme(), "http" | "https" | "mailto")) {
                    self.space();
                    self.link = Some((href.to_string(), self.out.len()));
                    self.out.push('[');
                    self.blank = false;
                }
            }
            ("a", true) => self.close_link(),
            ("pre", closes) => {
                self.lines(2);
                self.preformatted = !closes;
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.lines(2);
                let level = tag.name.chars().last().and_then(|digit| digit.to_digit(10)).unwrap_or(1);
                self.out.push_str(&"#".repeat(level as usize));
                self.blank = true;
            }
            ("li", false) => {
                self.lines(1);
                self.out.push('-');
                self.blank = true;
            }
            ("td" | "th", false) => self.blank = true,
            (
                "title" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "ul" | "ol" | "table" | "blockquote" | "dl",
                _,
            ) => {
                self.lines(2);
            }
            (
                "br" | "div" | "section" | "article" | "header" | "footer" | "main" | "nav" | "aside" | "tr" | "li"
                | "dt" | "dd" | "form" | "figure" | "figcaption" | "hr" | "option" | "body" | "head",
                _,
            ) => self.lines(1),
            _ => {}
        }
        after
    }

    fn close_link(&mut self) {
        let Some((href, start)) = self.link.take() else { return };
        // A link around nothing, or around a picture, is no text.
        if self.out.get(start..).is_some_and(|shown| shown.trim() == "[") {
            self.out.truncate(start);
        } else {
            self.out.push_str(&format!("]({href})"));
        }
    }

    /// Ends the line, so that `count` line ends stand there.
    fn lines(&mut self, count: usize) {
        self.blank = false;
        if !self.preformatted {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        // Of any number of line ends only the last few are looked at: a page may have a million of them before each tag.
        let there = self.out.bytes().rev().take(count).take_while(|b| *b == b'\n').count();
        if !self.out.is_empty() {
            self.out.push_str(&"\n".repeat(count.saturating_sub(there)));
        }
    }

    fn end(mut self) -> String {
        self.close_link();
        self.out.trim().to_owned()
    }
}

/// What follows the end of the element `name`, whose content is no text.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("</") {
        let (closes, left) = after.split_at_checked(name.len()).unwrap_or((after, ""));
        if closes.eq_ignore_ascii_case(name) {
            return left.split_once('>').map_or("", |(_, after)| after);
        }
        rest = after;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> String {
        text(html, &Url::parse("https://a.test/docs/x").unwrap())
    }

    #[test]
    fn a_page_is_read_as_text() {
        for (html, expected) in [
            ("<title>T</title><p>one  two\n three<p>four", "T\n\none two three\n\nfour"),
            ("a<b>b</b>c <i>d</i> e", "abc d e"),
            ("<h2>Head</h2><ul><li>one<li><b>two</b></ul>end", "## Head\n\n- one\n- two\n\nend"),
            ("see <a href='../y?a=1&amp;b=2'>this page</a>.", "see [this page](https://a.test/y?a=1&b=2)."),
            ("<a href=/z><img src=x></a>text<a href='javascript:x()'>run</a>", "textrun"),
            ("<script>if (a < b) { '</p>' }</script >x<style>p{}</style><!-- <p>no --> y", "x y"),
            ("<pre>  a\n    b</pre>c", "a\n    b\n\nc"),
            ("1 &lt; 2 &amp;&amp; 3 &gt; 2 &#8364; &#x1F980; &nbsp;&unknown; &", "1 < 2 && 3 > 2 € 🦀 &unknown; &"),
            ("a < b and 2<3", "a < b and 2<3"),
            ("<p title='a > b'>x</p><p title=\"never closed>y", "x\n\ny"),
            ("<tr><td>a<td>b</tr><tr><td>c</td></tr>", "a b\nc"),
            ("<script>never closed", ""),
            ("", ""),
        ] {
            assert_eq!(read(html), expected, "{html}");
        }
    }

    #[test]
    fn a_page_that_nests_without_end_is_read_like_any_other() {
        assert_eq!(read(&("<div>".repeat(100_000) + "x")), "x");
        assert_eq!(read(&"<a href=x>".repeat(10_000)), "");
        for piece in ["<", "&", "<a '", "<a \"", "</", "<!-", "&#", "=", "<a b="] {
            let _ = read(&piece.repeat(1_000_000));
        }
    }

    #[test]
    fn line_ends_are_not_counted_again_at_each_tag() {
        // Were they, this would take a million million steps.
        let (lines, tags) = ("\n".repeat(2 << 20), "<br>".repeat(500_000));
        assert_eq!(read(&format!("<pre>a{lines}{tags}b")).len(), lines.len() + 2);
    }
}
