//! What a call does, taken apart for people. Drawn from the call alone, never from what anybody says about it.

use crate::command::{Analysis, RedirectionKind, Role, Simple};
use countersign_domain::describe::{Described, Dialect, Part, Resource, UrlPart};
use serde_json::{Map, Value};

/// The most commands that are drawn: a line with more of them is read as it stands.
const MOST_COMMANDS: usize = 100;
/// Arguments that name whom something goes to, and how much of it.
const RECIPIENTS: [&str; 8] = ["to", "cc", "bcc", "recipient", "recipients", "payee", "beneficiary", "iban"];
const AMOUNTS: [&str; 3] = ["amount", "total", "sum"];

/// What a call does, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The commands of its command lines, in the order in which they stand; those that another one runs after all that stand
    /// in the line themselves.
    pub commands: Vec<DrawnCommand>,
    /// What of a command line was not understood: then there may be more commands than were found.
    pub unclear: Option<&'static str>,
    /// The addresses that it reaches.
    pub addresses: Vec<UrlPart>,
    /// Whom something goes to.
    pub recipients: Vec<String>,
    /// How much, with its currency if there is one; by name where several arguments say so.
    pub amount: Option<String>,
}

/// One command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnCommand {
    /// As it stands in the line, or its words where another command puts it together.
    pub text: String,
    /// Whether another command runs it.
    pub is_run: bool,
    /// Files that it reads by redirection.
    pub reads: Vec<String>,
    /// Files that it writes by redirection.
    pub writes: Vec<String>,
}

/// Takes `call` apart.
pub fn draw(call: &Described) -> Drawing {
    let mut drawing = Drawing::default();
    let Resource::Parts(parts) = &call.resource else { return drawing.with_arguments(call.call.args()) };
    for part in parts {
        match part {
            Part::Command { line, dialect: Dialect::Posix } => drawing.add_line(line),
            Part::Url(url) => drawing.addresses.push(url.clone()),
            Part::Command { .. } | Part::Path(_) | Part::Text(_) => {}
        }
    }
    if parts.iter().any(|part| matches!(part, Part::Command { .. })) {
        return drawing;
    }
    drawing.with_arguments(call.call.args())
}

impl Drawing {
    fn add_line(&mut self, line: &str) {
        let analysis = Analysis::of(line);
        self.unclear = self.unclear.or(analysis.opaque);
        for command in analysis.commands.iter().filter(|command| command.role != Role::WrittenOut) {
            let drawn = DrawnCommand::new(command);
            // What another command runs can be found in more than one way, and is told once.
            if !(drawn.is_run && self.commands.contains(&drawn)) {
                self.commands.push(drawn);
            }
            if self.commands.len() > MOST_COMMANDS {
                self.commands.clear();
                self.unclear = Some("it holds more commands than can be listed");
                return;
            }
        }
    }

    fn with_arguments(mut self, args: &Map<String, Value>) -> Self {
        let each = |value: &Value| match value {
            Value::Array(items) => items.iter().map(text).collect(),
            value => vec![text(value)],
        };
        self.recipients = RECIPIENTS.iter().filter_map(|name| args.get(*name)).flat_map(each).collect();
        let named = AMOUNTS.iter().filter_map(|name| Some((*name, text(args.get(*name)?))));
        let amounts = match &named.collect::<Vec<_>>()[..] {
            [] => return self,
            [(_, amount)] => amount.clone(),
            several => several.iter().map(|(name, amount)| format!("{name} {amount}")).collect::<Vec<_>>().join(", "),
        };
        let currency = args.get("currency").map(|currency| format!(" {}", text(currency))).unwrap_or_default();
        self.amount = Some(amounts + &currency);
        self
    }
}

/// What it says, and nothing less: what is no text is shown as it stands.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl DrawnCommand {
    fn new(command: &Simple) -> Self {
        let words = || command.words.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ");
        let files = |wanted: RedirectionKind| {
            let found = command.redirections.iter().filter(|one| one.kind == wanted);
            found.map(|one| one.target.text.clone()).collect()
        };
        Self {
            text: if command.source.is_empty() { words() } else { command.source.clone() },
            is_run: command.role == Role::Wrapped,
            reads: files(RedirectionKind::Read),
            writes: files(RedirectionKind::Write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use crate::source::Source;
    use countersign_domain::Call;
    use countersign_domain::describe::Surroundings;
    use serde_json::json;

    fn drawn(tool: &str, args: &Value) -> Drawing {
        let call = Call::new(None, tool.into(), args.as_object().unwrap().clone(), Some("/srv".into())).unwrap();
        draw(&Policy::compile(&Source::default()).unwrap().describe(call, &Surroundings::default()))
    }

    fn commands(line: &str) -> Vec<(String, bool)> {
        let drawn = drawn("bash", &json!({"command": line}));
        drawn.commands.into_iter().map(|command| (command.text, command.is_run)).collect()
    }

    #[test]
    fn a_command_line_is_taken_apart_with_what_its_commands_run() {
        let found = commands("find . -mtime +30 -print0 | xargs -0 rm -rf && echo \"it is $(date)\"");
        let own = |text: &str| (text.to_owned(), false);
        assert!(found.contains(&own("find . -mtime +30 -print0")), "{found:?}");
        assert!(found.contains(&own("xargs -0 rm -rf")) && found.contains(&("rm -rf".to_owned(), true)), "{found:?}");
        assert!(found.contains(&own("date")), "{found:?}");
        assert_eq!(commands("eval \"$X\"").iter().filter(|(_, is_run)| *is_run).count(), 1);
        assert!(commands("sudo sh -c 'curl x | sh'").contains(&("curl x".to_owned(), true)));
    }

    #[test]
    fn files_that_are_written_are_named_and_what_is_not_understood_is_said() {
        let drawing = drawn("bash", &json!({"command": "sort < in.txt > out.txt"}));
        let [command] = &drawing.commands[..] else { panic!("{drawing:?}") };
        assert_eq!(
            (command.reads.as_slice(), command.writes.as_slice()),
            (&["in.txt".to_owned()][..], &["out.txt".to_owned()][..])
        );
        assert!(drawn("bash", &json!({"command": "eval \"$X\""})).unclear.is_some());
        let long = "true;".repeat(MOST_COMMANDS + 1);
        let drawing = drawn("bash", &json!({"command": long}));
        assert!(drawing.commands.is_empty() && drawing.unclear.is_some());
    }

    #[test]
    fn an_address_is_its_host_and_path() {
        let drawing = drawn("web_fetch", &json!({"url": "https://Example.org:8443/a/../b?q=1"}));
        let [address] = &drawing.addresses[..] else { panic!("{drawing:?}") };
        assert_eq!(
            (address.host.as_deref(), address.port, address.path.as_str()),
            (Some("example.org"), Some(8443), "/b")
        );
    }

    #[test]
    fn whom_it_goes_to_and_how_much_is_named() {
        let drawing = drawn("pay", &json!({"amount": 20000, "currency": "EUR", "to": ["ACME GmbH", "Initech"]}));
        assert_eq!(drawing.amount.as_deref(), Some("20000 EUR"));
        assert_eq!(drawing.recipients, ["ACME GmbH", "Initech"]);
        let sly = drawn("pay", &json!({"amount": 1, "total": [2], "to": ["ACME", {"email": "eve@x"}]}));
        assert_eq!(sly.amount.as_deref(), Some("amount 1, total [2]"));
        assert_eq!(sly.recipients, ["ACME", "{\"email\":\"eve@x\"}"], "nothing is left out");
        let nothing = drawn("bash", &json!({"command": "true", "to": "eve"}));
        assert_eq!((nothing.recipients, nothing.amount), (vec![], None), "a command is its line");
    }
}
