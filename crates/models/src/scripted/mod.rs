//! A model that thinks nothing: it says what a script tells it to, the same every time.

mod script;

pub use script::BadScript;

use async_trait::async_trait;
use countersign_domain::run::{Message, Said, ToolResult, Usage};
use countersign_runtime::ports::{Heard, Model, ModelError, Prompt, Spoken};
use script::{Reply, Scenario, Script};
use std::time::Duration;

/// A model that says what a script tells it to.
///
/// ```yaml
/// scenarios:
///   - when: [deploy, staging]       # all of these occur in the user's message, in whatever case; none: always
///     replies:                      # one for each turn
///       - say: I will look first.
///         calls:
///           - {tool: bash, args: {command: git status}}
///       - say: "You asked: {input}. It says: {result}"
///         delay_ms: 500
/// ```
///
/// In `say`, `{input}` is the user's message, `{result}` the last tool result and `{results}` all of the last turn's.
#[derive(Debug, Clone, PartialEq)]
pub struct Scripted {
    script: Script,
}

impl Scripted {
    /// Reads a script in YAML. An error names the line.
    pub fn read(text: &str) -> Result<Self, BadScript> {
        Ok(Self { script: script::read(text)? })
    }

    /// The reply to this conversation: words, calls and how long they take.
    fn reply(&self, messages: &[Message]) -> (Spoken, Duration) {
        let messages = of_this_run(messages);
        let input = input(messages);
        let turn = messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
        let Some(scenario) = self.script.scenarios.iter().find(|scenario| scenario.fits(input)) else {
            return (said("The script has no scenario for this message.".to_owned()), Duration::ZERO);
        };
        let Some(reply) = scenario.replies.get(turn) else {
            let ended = format!("The script has ended: it has {} replies, all said.", scenario.replies.len());
            return (said(ended), Duration::ZERO);
        };
        let spoken = Spoken { text: filled(&reply.say, messages), calls: reply.calls(turn), usage: Usage::default() };
        (spoken, Duration::from_millis(reply.delay_ms))
    }
}

#[async_trait]
impl Model for Scripted {
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        let (spoken, delay) = self.reply(prompt.messages);
        let pieces = pieces(&spoken.text);
        let pause = delay / u32::try_from(pieces.len()).unwrap_or(u32::MAX).max(1);
        if pieces.is_empty() {
            wait(pause).await;
        }
        for piece in pieces {
            wait(pause).await;
            live(Heard::Words(&piece));
        }
        Ok(spoken)
    }

    fn is_script(&self) -> bool {
        true
    }
}

async fn wait(pause: Duration) {
    if !pause.is_zero() {
        tokio::time::sleep(pause).await;
    }
}

impl Scenario {
    fn fits(&self, input: &str) -> bool {
        let input = input.to_lowercase();
        self.when.iter().all(|word| input.contains(&word.to_lowercase()))
    }
}

impl Reply {
    fn calls(&self, turn: usize) -> Vec<Said> {
        let said = |(place, call): (usize, &script::ScriptedCall)| Said {
            id: call.id.clone().unwrap_or_else(|| format!("call_{turn}_{place}")),
            name: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        self.calls.iter().enumerate().map(said).collect()
    }
}

/// What was said in this run: a script begins anew with each. Whoever speaks after a last word begins another one.
fn of_this_run(messages: &[Message]) -> &[Message] {
    let is_last_word = |message: &Message| matches!(message, Message::Assistant { calls, .. } if calls.is_empty());
    let ended =
        messages.windows(2).rposition(|pair| matches!(pair, [before, Message::User(_)] if is_last_word(before)));
    ended.and_then(|before| messages.get(before + 1..)).unwrap_or(messages)
}

fn said(text: String) -> Spoken {
    Spoken { text, ..Spoken::default() }
}

fn input(messages: &[Message]) -> &str {
    let mut texts = messages.iter().filter_map(|message| match message {
        Message::User(text) => Some(text.as_str()),
        _ => None,
    });
    texts.next().unwrap_or_default()
}

/// `say` with its placeholders filled, in one pass: what is filled in is not looked at again.
fn filled(say: &str, messages: &[Message]) -> String {
    let results = last_results(messages);
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    let fillings = [
        ("{input}", input(messages).to_owned()),
        ("{results}", texts.join("\n")),
        ("{result}", texts.last().copied().unwrap_or_default().to_owned()),
    ];
    let (mut whole, mut rest) = (String::new(), say);
    while let Some(start) = rest.find('{') {
        let (before, brace) = rest.split_at(start);
        whole.push_str(before);
        let filling = fillings.iter().find_map(|(name, text)| Some((text.as_str(), brace.strip_prefix(name)?)));
        let (text, after) = filling.unwrap_or_else(|| brace.split_at(1));
        whole.push_str(text);
        rest = after;
    }
    whole + rest
}

/// The results of the last turn that had any.
fn last_results(messages: &[Message]) -> Vec<&ToolResult> {
    let mut results: Vec<&ToolResult> = Vec::new();
    for message in messages.iter().rev() {
        match message {
            Message::Tool(result) => results.push(result),
            _ if results.is_empty() => {}
            _ => break,
        }
    }
    results.reverse();
    results
}

/// How much of a text is given at once, in characters.
const PIECE: usize = 12;

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}
