//! The names in an event that models, tools and whoever writes gave: part of what happened, and yet somebody's words.
//!
//! They are no texts, since whoever folds an event needs them. But secrets are looked for in them too.

use super::awaited::Awaited;
use super::event::{Event, Question};
use crate::interaction::{Form, Part, Reply};

/// Whoever looks at names.
type Visit<'v> = dyn FnMut(&mut String) + 'v;

impl Event {
    /// Shows every name that somebody gave to `visit`, always in the same order.
    pub fn names(&mut self, visit: &mut Visit<'_>) {
        match self {
            Self::StepCompleted(turn) => {
                for call in &mut turn.calls {
                    visit(&mut call.model_id);
                    visit(&mut call.name);
                }
            }
            Self::InteractionRequest(asked) => {
                if let Some(awaited) = &mut asked.awaited {
                    of_awaited(awaited, visit);
                }
                if let Some(Question { form, default, .. }) = &mut asked.question {
                    of_form(form, visit);
                    if let Some(default) = default {
                        of_reply(default, visit);
                    }
                }
            }
            Self::InteractionResponse { response, .. } => {
                if let Some(reply) = &mut response.reply {
                    of_reply(reply, visit);
                }
            }
            Self::MessageReceived(letter) => letter.channel.iter_mut().for_each(visit),
            _ => {}
        }
    }
}

pub(super) fn of_awaited(awaited: &mut Awaited, visit: &mut Visit<'_>) {
    match awaited {
        Awaited::Signal { key } => visit(key),
        Awaited::Message { channel } => channel.iter_mut().for_each(visit),
        Awaited::Timer | Awaited::Report => {}
    }
}

/// Forms are checked before they are stored: they are not deep.
pub(super) fn of_form(form: &mut Form, visit: &mut Visit<'_>) {
    if let Form::Combined { interactions } = form {
        for field in interactions {
            visit(&mut field.id);
            of_form(&mut field.form, visit);
        }
    }
}

pub(super) fn of_reply(reply: &mut Reply, visit: &mut Visit<'_>) {
    reply.responses.iter_mut().flatten().for_each(|part| of_part(part, visit));
}

fn of_part(part: &mut Part, visit: &mut Visit<'_>) {
    visit(&mut part.request_id);
    part.responses.iter_mut().flatten().for_each(|part| of_part(part, visit));
}
