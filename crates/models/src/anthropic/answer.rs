//! An answer, put together from the blocks that are streamed.

use crate::endpoint::{self, Broken, Live, Refusal};
use countersign_domain::run::{Said, Usage};
use countersign_runtime::ports::{ModelError, Spoken};
use serde::Deserialize;
use serde_json::Value;

/// What has been said so far.
#[derive(Debug, Default)]
pub struct Answer {
    text: String,
    calls: Vec<Growing>,
    usage: Usage,
    stop: Option<String>,
    done: bool,
}

/// A call whose arguments are still coming. They are kept as they come: what is no JSON stays none.
#[derive(Debug)]
struct Growing {
    index: u64,
    said: Said,
    /// Whether the arguments came with the block itself: what comes after it then takes their place.
    at_once: bool,
}

impl endpoint::Answer for Answer {
    fn take(&mut self, data: &str, live: &Live<'_>) -> Result<(), Broken> {
        if self.done || data.trim().is_empty() {
            return Ok(());
        }
        let event: Event = serde_json::from_str(data).map_err(|_| Broken::event())?;
        match event {
            Event::MessageStart { message } => self.count(message.usage.as_ref()),
            Event::ContentBlockStart { index, content_block } => return self.begin(index, content_block, live),
            Event::ContentBlockDelta { index, delta } => self.go_on(index, delta, live),
            Event::MessageDelta { delta, usage } => {
                self.stop = delta.stop_reason.or(self.stop.take());
                self.count(usage.as_ref());
            }
            Event::MessageStop => self.done = true,
            Event::Error { error } => return Err(Broken::Told(Refusal::of_event(&error))),
            Event::Other => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_complete(&self) -> bool {
        self.done || self.stop.is_some()
    }

    fn spoken(mut self, messages: usize) -> Result<Spoken, ModelError> {
        self.calls.sort_by_key(|call| call.index);
        let nothing = self.text.is_empty() && self.calls.is_empty();
        // Without arguments, a call that was cut off would look like one that needs none.
        let bare = self.calls.last().is_some_and(|call| call.said.arguments.trim().is_empty());
        match self.stop.as_deref() {
            Some("refusal") if nothing => {
                return Err(ModelError::Refused("the model declined to answer".to_owned()));
            }
            Some("model_context_window_exceeded") if nothing || bare => return Err(ModelError::TooLong),
            Some("max_tokens") if nothing || bare => return Err(endpoint::cut_off()),
            _ => {}
        }
        let named = |(place, call): (usize, Growing)| endpoint::named(call.said, messages, place);
        let calls = self.calls.into_iter().enumerate().map(named).collect();
        Ok(Spoken { text: self.text, calls, usage: self.usage })
    }
}

impl Answer {
    fn begin(&mut self, index: u64, block: Block, live: &Live<'_>) -> Result<(), Broken> {
        match block {
            Block::Text { text } => self.say(&text.unwrap_or_default(), live),
            Block::ToolUse { id, name, input } => {
                // Usually an empty object, which the pieces that follow replace.
                let given = input.filter(|input| input.as_object().is_none_or(|input| !input.is_empty()));
                let given = given.filter(|input| !input.is_null()).map(|input| input.to_string());
                let at_once = given.is_some();
                let said = Said {
                    id: id.unwrap_or_default(),
                    name: name.unwrap_or_default(),
                    arguments: given.unwrap_or_default(),
                };
                self.calls.push(Growing { index, said, at_once });
                return endpoint::few_enough(self.calls.len());
            }
            Block::Other => {}
        }
        Ok(())
    }

    fn go_on(&mut self, index: u64, delta: Delta, live: &Live<'_>) {
        match delta {
            Delta::Words { text } => self.say(&text, live),
            Delta::Input { partial_json } => {
                let Some(call) = self.calls.iter_mut().rfind(|call| call.index == index) else { return };
                if std::mem::take(&mut call.at_once) && !partial_json.is_empty() {
                    call.said.arguments.clear();
                }
                call.said.arguments.push_str(&partial_json);
            }
            Delta::Other => {}
        }
    }

    fn say(&mut self, words: &str, live: &Live<'_>) {
        if !words.is_empty() {
            live(words);
            self.text.push_str(words);
        }
    }

    /// The counts are of the whole answer so far; what is not told again stays.
    fn count(&mut self, tokens: Option<&Tokens>) {
        let Some(Tokens { read, cached_now, cached_before, written }) = tokens else { return };
        if let Some(read) = read {
            let cached = [cached_now, cached_before].into_iter().flatten();
            self.usage.input_tokens = cached.fold(*read, |all, more| all.saturating_add(*more));
        }
        if let Some(written) = written {
            self.usage.output_tokens = *written;
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: Stop,
        usage: Option<Tokens>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// `ping`, `content_block_stop`, and what is newer than this program.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Stop {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: Option<String>,
    },
    ToolUse {
        id: Option<String>,
        name: Option<String>,
        input: Option<Value>,
    },
    /// What the model thinks, and what is newer than this program.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    #[serde(rename = "text_delta")]
    Words { text: String },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(rename = "input_tokens")]
    read: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens")]
    cached_now: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    cached_before: Option<u64>,
    #[serde(rename = "output_tokens")]
    written: Option<u64>,
}
