//! An agent: a model, what it is told first, and the tools it is offered.

use crate::ports::{Heard, Model, ModelError, Prompt, Spoken, StoreError, ToolDefinition};
use crate::{Runtime, Standing, spans};
use countersign_domain::Call;
use countersign_domain::Digest;
use countersign_domain::canonical::{self, read};
use countersign_domain::run::{Failure, Limits, Message, Proposal, Run, Said, Turn};
use countersign_domain::secret::Live;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use tracing::{Instrument as _, Span};

/// An agent that can be run.
#[derive(Clone)]
pub struct Agent {
    /// What it is for.
    pub description: Option<String>,
    /// What the configuration calls the model that speaks for it.
    pub model_name: String,
    /// The model that speaks for it.
    pub model: Arc<dyn Model>,
    /// What the model is told first.
    pub system_prompt: Option<String>,
    /// The tools it is offered; `None` is all. What it may use the policy says, call by call.
    pub tools: Option<Vec<String>>,
    /// How far its runs may go.
    pub limits: Limits,
}

/// When whoever listens hears what a model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aloud {
    /// While it is said.
    Live,
    /// Once it is saved.
    Later,
}

impl Runtime {
    /// Asks the model of `run` what comes next, after what was said `before` it in its session, and reads what it said into
    /// calls.
    pub(crate) async fn ask_model(&self, run: &Run, before: Vec<Message>) -> Result<Turn, Failure> {
        let name = &run.started.agent;
        let standing = self.inner.standing();
        let agent = standing.agents.get(name).ok_or_else(|| Failure {
            code: "UNKNOWN_AGENT".into(),
            message: format!("there is no agent `{name}` in the configuration any more"),
        })?;
        self.spoken(&standing, agent, run, before, Aloud::Live).await
    }

    /// What a script says next, where one speaks for the agent of `run` and says so at once.
    pub(crate) async fn at_hand(&self, run: &Run) -> Result<Option<Result<Turn, Failure>>, StoreError> {
        let standing = self.inner.standing();
        let Some(agent) = standing.agents.get(&run.started.agent).filter(|agent| agent.model.is_script()) else {
            return Ok(None);
        };
        let before = self.said_before(run).await?;
        let asking = pin!(self.spoken(&standing, agent, run, before, Aloud::Later));
        Ok(match asking.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(said) => Some(said),
            Poll::Pending => None,
        })
    }

    /// What the model of `agent` says, read into calls.
    async fn spoken(
        &self,
        standing: &Standing,
        agent: &Agent,
        run: &Run,
        before: Vec<Message>,
        aloud: Aloud,
    ) -> Result<Turn, Failure> {
        let tools = standing.offered(agent);
        let messages: Vec<_> = before.into_iter().chain(run.conversation()).collect();
        let prompt = Prompt { system: agent.system_prompt.as_deref(), messages: &messages, tools: &tools };
        let step = run.step().unwrap_or_default() + 1;
        // Whoever listens hears what is said as it will be recorded.
        let silence = || Live::new(self.inner.store.masks().masker(run.id));
        let heard = Mutex::new(silence());
        let tell = |words: String| {
            if aloud == Aloud::Live && !words.is_empty() {
                self.inner.newsroom.delta(run.id, step, &words);
            }
        };
        let live = |said: Heard<'_>| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            match said {
                Heard::Words(words) => tell(heard.next(words)),
                // What was held back goes with what broke off: joined to other words, it would be read as something else.
                Heard::Anew => *heard = silence(),
            }
        };
        let span = match aloud {
            Aloud::Live => spans::model(run.id, &agent.model_name),
            // Nobody is asked.
            Aloud::Later => Span::none(),
        };
        let spoken = agent.model.speak(&prompt, &live).instrument(span.clone()).await;
        spans::spoken(&span, spoken.as_ref().map(|spoken| spoken.usage).map_err(ModelError::code));
        drop(span);
        let spoken = spoken.map_err(|error| Failure { code: error.code().into(), message: error.to_string() })?;
        // Only of what was said to its end: what breaks off may hide the half of a secret.
        tell(heard.lock().unwrap_or_else(PoisonError::into_inner).end());
        if spoken.text.len() > LONGEST_TEXT {
            let error = ModelError::Garbled(format!("it is longer than {LONGEST_TEXT} bytes"));
            return Err(Failure { code: error.code().into(), message: error.to_string() });
        }
        Ok(turn(run, step, &spoken, &tools))
    }
}

/// The longest text of one turn.
const LONGEST_TEXT: usize = 1024 * 1024;
/// How many calls of one turn are looked at. The model is told of the rest.
const MOST_CALLS: usize = 64;
/// How much is kept of a name or an id that a model made up, in characters.
const LONGEST_NAME: usize = 200;
/// How much is kept of arguments that cannot be read, in characters.
const LONGEST_UNREADABLE: usize = 4096;

impl Standing {
    /// The definitions of the tools that `agent` is offered.
    fn offered(&self, agent: &Agent) -> Vec<ToolDefinition> {
        let listed =
            |name: &str| agent.tools.as_ref().is_none_or(|tools| tools.iter().any(|tool| tool == name || tool == "*"));
        self.tools.iter().filter(|(name, _)| listed(name)).map(|(_, known)| known.definition.clone()).collect()
    }
}

/// What the model said, with its calls read. One that cannot be read becomes an error that the model is told.
fn turn(run: &Run, step: u32, spoken: &Spoken, tools: &[ToolDefinition]) -> Turn {
    let mut ids = HashSet::new();
    let proposals = spoken.calls.iter().enumerate().map(|(position, said)| {
        let read = if position >= MOST_CALLS {
            Err(format!("only the first {MOST_CALLS} calls of a turn are looked at; propose this one in another turn"))
        } else if ids.insert(said.id.as_str()) {
            call(said, run.started.cwd.as_deref(), tools)
        } else {
            Err(format!("two calls of one turn have the id `{}`; give each its own", shown(&said.id)))
        };
        let kept = Said {
            id: cut(&said.id, LONGEST_NAME),
            name: cut(&said.name, LONGEST_NAME),
            // Those that could be read are kept as what they say.
            arguments: cut(&said.arguments, LONGEST_UNREADABLE),
        };
        Proposal::new(run.id, step, position, &kept, read)
    });
    Turn { calls: proposals.collect(), text: spoken.text.clone(), usage: spoken.usage, heard: run.letters.len() }
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or_default().chars().chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// A name that a model made up, on one line and with nothing hidden in it.
fn shown(name: &str) -> String {
    cut(name, LONGEST_SHOWN).escape_debug().to_string()
}

/// How much of a name is repeated, in characters.
const LONGEST_SHOWN: usize = 80;

fn call(said: &Said, cwd: Option<&str>, tools: &[ToolDefinition]) -> Result<(Call, Option<Digest>), String> {
    let Some(tool) = tools.iter().find(|tool| tool.name == said.name) else {
        let known: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        return Err(format!("there is no tool `{}`; there are: {}", shown(&said.name), known.join(", ")));
    };
    let definition = tool.digest();
    let args = args(&said.arguments)?;
    let call = Call::new(None, said.name.clone(), args, cwd.map(Into::into)).map_err(|wrong| wrong.to_string())?;
    Ok((call.defined_by(definition), Some(definition)))
}

fn args(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match read(text.as_bytes(), canonical::Limits::CALL) {
        Ok(Value::Object(args)) => Ok(args),
        Ok(_) => Err("the arguments must be a JSON object".into()),
        Err(wrong) => Err(format!("the arguments are not valid JSON: {wrong}")),
    }
}
