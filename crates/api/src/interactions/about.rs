//! What stands around a question, as the outside sees it.

use super::body::AnswerBody;
use countersign_domain::interaction::Interaction;
use countersign_policy::{Drawing, DrawnCommand};
use countersign_runtime::{About, Words};
use serde::Serialize;
use utoipa::ToSchema;

/// What stands around a question, for whoever answers it. What the call does is drawn by the server from the stored call.
#[derive(Debug, Serialize, ToSchema)]
pub struct AboutBody {
    /// The commands of a command line, those that other commands run among them.
    commands: Vec<CommandBody>,
    /// What of the command line was not understood: then there may be more commands than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    unclear: Option<&'static str>,
    /// The addresses that the call reaches.
    addresses: Vec<AddressBody>,
    /// Whom something goes to.
    recipients: Vec<String>,
    /// How much, with its currency; by name where several arguments say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<String>,
    /// What people said to the agent: what they started the run with, and their newest messages. What programs and other agents
    /// told it is not among them.
    words: Vec<WordsBody>,
    /// What the agent said when it proposed the call. Nobody has checked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<String>,
    /// What was decided about the very same call before, the latest first.
    past: Vec<PastBody>,
    /// The runs from the root to the one that asks, as far as they can be read.
    chain: Vec<LinkBody>,
}

/// One command of a command line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DrawnCommand)]
pub struct CommandBody {
    /// As it stands in the line, or its words where another command puts it together.
    text: String,
    /// Whether another command runs it.
    is_run: bool,
    /// Files that it reads by redirection.
    reads: Vec<String>,
    /// Files that it writes by redirection.
    writes: Vec<String>,
}

/// An address that a call reaches.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DrawnAddress)]
pub struct AddressBody {
    scheme: String,
    /// The host in its canonical spelling.
    host: Option<String>,
    /// The port, if it is not the scheme's own.
    port: Option<u16>,
    /// The path, dots resolved.
    path: String,
    /// Why it may not be what it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    odd: Option<&'static str>,
}

/// What somebody said.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Words)]
pub struct WordsBody {
    /// Who.
    user_id: String,
    text: String,
}

/// What was decided before.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PastDecision)]
pub struct PastBody {
    /// The question.
    interaction_id: String,
    /// Who asked.
    agent: String,
    answer: Option<AnswerBody>,
}

/// A run, and its agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainLink)]
pub struct LinkBody {
    run_id: String,
    agent: String,
}

impl From<About> for AboutBody {
    fn from(about: About) -> Self {
        let Drawing { commands, unclear, addresses, recipients, amount } = about.drawing;
        let addresses = addresses.into_iter().map(|one| AddressBody {
            scheme: one.scheme,
            host: one.host,
            port: one.port,
            path: one.path,
            odd: one.odd,
        });
        Self {
            commands: commands.into_iter().map(Into::into).collect(),
            unclear,
            addresses: addresses.collect(),
            recipients,
            amount,
            words: about.words.into_iter().map(|Words { by, text }| WordsBody { user_id: by, text }).collect(),
            claim: about.claim,
            past: about.past.into_iter().map(Into::into).collect(),
            chain: about.chain.into_iter().map(|(run, agent)| LinkBody { run_id: run.to_string(), agent }).collect(),
        }
    }
}

impl From<DrawnCommand> for CommandBody {
    fn from(DrawnCommand { text, is_run, reads, writes }: DrawnCommand) -> Self {
        Self { text, is_run, reads, writes }
    }
}

impl From<Interaction> for PastBody {
    fn from(before: Interaction) -> Self {
        let interaction_id = before.id.to_string();
        Self { interaction_id, agent: before.asked_by.agent, answer: before.answer.map(Into::into) }
    }
}
