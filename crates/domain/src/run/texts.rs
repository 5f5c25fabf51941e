//! The texts of an event: what people, models and tools wrote, as opposed to what happened to whom and when.
//!
//! Whatever treats words apart goes through here: words are kept beside the record so that they can be erased, and secrets
//! are looked for in them. Ids, digests, decisions, names of tools, agents and people are no texts.

use super::event::{Asked, End, Event, Question};
use super::judgement::{Judgement, Ruling};
use super::names;
use super::started::Started;
use super::turn::{Proposal, Reading};
use crate::interaction::{Answer, Edited, Field, Form, Interaction, Part, Preview, Reason, Reply, ShownCall};
use serde_json::{Map, Value};

/// One text of an event.
#[derive(Debug, PartialEq)]
pub enum Text<'a> {
    /// Words.
    Words(&'a mut String),
    /// The arguments of a call of this tool.
    Args {
        /// The server whose tool it is.
        server: Option<&'a str>,
        /// The tool.
        tool: &'a str,
        /// The arguments.
        args: &'a mut Map<String, Value>,
    },
}

/// Whoever looks at texts.
type Visit<'v> = dyn FnMut(Text<'_>) + 'v;

impl Event {
    /// Shows every text to `visit`, always in the same order.
    pub fn texts(&mut self, visit: &mut Visit<'_>) {
        match self {
            Self::RunStarted(started) => of_start(started, visit),
            Self::StepCompleted(turn) => {
                words(&mut turn.text, visit);
                turn.calls.iter_mut().for_each(|call| of_proposal(call, visit));
            }
            Self::ToolJudged { judgement, .. } => of_judgement(judgement, visit),
            Self::InteractionRequest(asked) => of_question(asked, visit),
            Self::InteractionResponse { response, .. } => of_answer(response, visit),
            Self::ToolHeld { end, .. } | Self::ToolFinished { end, .. } => of_end(end, visit),
            Self::MessageReceived(letter) => words(&mut letter.text, visit),
            Self::RunCompleted { output } => words(output, visit),
            Self::RunFailed { error } | Self::RunSetAside { error } => words(&mut error.message, visit),
            Self::RunCancelled { reason, .. } => words_if_any(reason, visit),
            Self::ExecutionSuspended { .. }
            | Self::PermissionsNarrowed { .. }
            | Self::Reminder { .. }
            | Self::WaitCompleted { .. }
            | Self::ExecutionResumed {}
            | Self::ToolStarted { .. }
            | Self::ToolPaused { .. }
            | Self::ToolLost { .. } => {}
        }
    }
}

impl Interaction {
    /// Shows every text of a question, and every name in it that somebody gave, to `visit`.
    pub fn texts(&mut self, visit: &mut Visit<'_>) {
        words(&mut self.title, visit);
        words(&mut self.description, visit);
        words(&mut self.tool_name, visit);
        of_form(&mut self.form, visit);
        names::of_form(&mut self.form, &mut |name| visit(Text::Words(name)));
        if let Some(awaited) = &mut self.awaited {
            // The key of a signal is what somebody called it.
            words(&mut self.correlation_key, visit);
            names::of_awaited(awaited, &mut |name| visit(Text::Words(name)));
        }
        if let Some(default) = &mut self.default {
            of_reply(default, visit);
            names::of_reply(default, &mut |name| visit(Text::Words(name)));
        }
        let ShownCall { server, tool, args, cwd, resource, .. } = &mut self.call;
        if !args.is_empty() {
            visit(Text::Args { server: server.as_deref(), tool, args });
        }
        words_if_any(cwd, visit);
        words_if_any(resource, visit);
        self.preview.iter_mut().for_each(|preview| of_preview(preview, visit));
        self.result.iter_mut().for_each(|end| of_end(end, visit));
        self.reasons.iter_mut().for_each(|reason| of_reason(reason, visit));
        self.approvals.iter_mut().chain(&mut self.answer).for_each(|answer| answer.texts(visit));
    }
}

impl Answer {
    /// Shows every text of an answer, and every name in it that somebody gave, to `visit`.
    pub fn texts(&mut self, visit: &mut Visit<'_>) {
        of_answer(self, visit);
        if let Some(reply) = &mut self.reply {
            names::of_reply(reply, &mut |name| visit(Text::Words(name)));
        }
    }
}

/// Nothing stands there: there is nothing to see.
fn words(text: &mut String, visit: &mut Visit<'_>) {
    if !text.is_empty() {
        visit(Text::Words(text));
    }
}

fn words_if_any(text: &mut Option<String>, visit: &mut Visit<'_>) {
    if let Some(text) = text {
        words(text, visit);
    }
}

fn of_start(started: &mut Started, visit: &mut Visit<'_>) {
    words(&mut started.input, visit);
    words_if_any(&mut started.cwd, visit);
}

fn of_proposal(proposal: &mut Proposal, visit: &mut Visit<'_>) {
    match &mut proposal.reading {
        Reading::Call { server, tool, args, cwd, .. } => {
            if !args.is_empty() {
                visit(Text::Args { server: server.as_deref(), tool, args });
            }
            words_if_any(cwd, visit);
        }
        Reading::Unreadable { error, arguments } => {
            words(error, visit);
            words(arguments, visit);
        }
    }
}

fn of_judgement(judgement: &mut Judgement, visit: &mut Visit<'_>) {
    if let Ruling::Deny { refusal } = &mut judgement.ruling {
        words(refusal, visit);
    }
    judgement.reasons.iter_mut().for_each(|reason| of_reason(reason, visit));
    words_if_any(&mut judgement.resource, visit);
}

fn of_reason(reason: &mut Reason, visit: &mut Visit<'_>) {
    // A grant is called by its pattern, which may be the call itself.
    words_if_any(&mut reason.name, visit);
    words(&mut reason.text, visit);
}

fn of_question(asked: &mut Asked, visit: &mut Visit<'_>) {
    if let Some(Question { title, description, default, form, .. }) = &mut asked.question {
        words(title, visit);
        words_if_any(description, visit);
        of_form(form, visit);
        if let Some(default) = default {
            of_reply(default, visit);
        }
    }
    asked.preview.iter_mut().for_each(|preview| of_preview(preview, visit));
}

fn of_preview(Preview { path, change }: &mut Preview, visit: &mut Visit<'_>) {
    words(path, visit);
    if let Some(change) = change {
        words(&mut change.text, visit);
    }
}

/// Forms are checked before they are stored: they are not deep.
fn of_form(form: &mut Form, visit: &mut Visit<'_>) {
    match form {
        Form::Input { placeholder, .. } => words_if_any(placeholder, visit),
        Form::Select { options, .. } => {
            for choice in options {
                words(&mut choice.value, visit);
                words(&mut choice.label, visit);
                words_if_any(&mut choice.description, visit);
            }
        }
        Form::Confirm { confirm_text, cancel_text } => {
            words(confirm_text, visit);
            words(cancel_text, visit);
        }
        Form::Combined { interactions } => {
            for Field { title, description, form, .. } in interactions {
                words(title, visit);
                words_if_any(description, visit);
                of_form(form, visit);
            }
        }
    }
}

fn of_answer(answer: &mut Answer, visit: &mut Visit<'_>) {
    words_if_any(&mut answer.reason, visit);
    if let Some(reply) = &mut answer.reply {
        of_reply(reply, visit);
    }
    words_if_any(&mut answer.replacement, visit);
    if let Some(Edited { server, tool, args, .. }) = answer.edited.as_deref_mut()
        && !args.is_empty()
    {
        visit(Text::Args { server: server.as_deref(), tool, args });
    }
    if let Some(remember) = &mut answer.remember {
        words(&mut remember.pattern, visit);
    }
}

fn of_reply(reply: &mut Reply, visit: &mut Visit<'_>) {
    let Reply { text, selected_values, responses, .. } = reply;
    words_if_any(text, visit);
    selected_values.iter_mut().flatten().for_each(|value| words(value, visit));
    responses.iter_mut().flatten().for_each(|part| of_part(part, visit));
}

fn of_part(part: &mut Part, visit: &mut Visit<'_>) {
    words_if_any(&mut part.text, visit);
    part.selected_values.iter_mut().flatten().for_each(|value| words(value, visit));
    part.responses.iter_mut().flatten().for_each(|part| of_part(part, visit));
}

fn of_end(end: &mut End, visit: &mut Visit<'_>) {
    words(&mut end.output, visit);
}
