//! An answer, put together from the pieces that are streamed.

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
    finish: Option<String>,
    done: bool,
}

/// A call whose arguments are still coming. They are kept as they come: what is no JSON stays none.
#[derive(Debug)]
struct Growing {
    index: Option<u64>,
    said: Said,
}

impl endpoint::Answer for Answer {
    fn take(&mut self, data: &str, live: &Live<'_>) -> Result<(), Broken> {
        if data.trim() == "[DONE]" {
            self.done = true;
        }
        if self.done || data.trim().is_empty() {
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|_| Broken::event())?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(Broken::Told(Refusal::of_event(&error)));
        }
        if let Some(usage) = chunk.usage {
            self.usage = Usage { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens };
        }
        let Some(choice) = chunk.choices.into_iter().flatten().next() else { return Ok(()) };
        self.finish = choice.finish_reason.or(self.finish.take());
        let Some(delta) = choice.delta else { return Ok(()) };
        for words in [delta.content, delta.refusal].into_iter().flatten().filter(|words| !words.is_empty()) {
            live(&words);
            self.text.push_str(&words);
        }
        delta.tool_calls.into_iter().flatten().try_for_each(|piece| self.grow(piece))
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_complete(&self) -> bool {
        self.done || self.finish.is_some()
    }

    fn spoken(mut self, messages: usize) -> Result<Spoken, ModelError> {
        self.calls.sort_by_key(|call| call.index);
        let nothing = self.text.is_empty() && self.calls.is_empty();
        // Without arguments, a call that was cut off would look like one that needs none.
        let bare = self.calls.last().is_some_and(|call| call.said.arguments.trim().is_empty());
        match self.finish.as_deref() {
            Some("content_filter") if nothing => {
                return Err(ModelError::Refused("its content filter stopped the answer".to_owned()));
            }
            Some("length") if nothing || bare => {
                return Err(endpoint::cut_off());
            }
            _ => {}
        }
        let named = |(place, call): (usize, Growing)| endpoint::named(call.said, messages, place);
        let calls = self.calls.into_iter().enumerate().map(named).collect();
        Ok(Spoken { text: self.text, calls, usage: self.usage })
    }
}

impl Answer {
    fn grow(&mut self, piece: CallPiece) -> Result<(), Broken> {
        let CallPiece { index, id, function } = piece;
        let FunctionPiece { name, arguments } = function.unwrap_or_default();
        let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
        // Some providers give every call the index 0, or none, but a name and an id of its own.
        let another = |said: &Said| !id.is_empty() && !name.is_empty() && id != said.id && !said.name.is_empty();
        let known = self.calls.iter_mut().rfind(|call| call.index == index).filter(|call| !another(&call.said));
        let arguments = arguments.unwrap_or_default();
        let Some(Growing { said, .. }) = known else {
            self.calls.push(Growing { index, said: Said { id, name, arguments } });
            return endpoint::few_enough(self.calls.len());
        };
        for (known, told) in [(&mut said.id, id), (&mut said.name, name)] {
            if known.is_empty() {
                *known = told;
            }
        }
        said.arguments.push_str(&arguments);
        Ok(())
    }
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Default, Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}
