//! Breaches: what an entry of a run says that cannot be, or must not.

use crate::run::call::Refused;

/// What an entry says that does not follow from those before it, or that nothing allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// A run begins with its start.
    #[error("a run begins with `run_started`, and has only one")]
    Beginning,
    /// Nothing comes after the end.
    #[error("the run had ended before it")]
    AfterEnd,
    /// It is about a call that the present step does not have.
    #[error("the step has no such call")]
    NoCall,
    /// It is about a question that the present step does not have.
    #[error("nobody asked that question in this step")]
    NoQuestion,
    /// The model speaks when all its calls have ended.
    #[error("the model spoke while a call had not ended")]
    Spoke,
    /// A run that is one call of a program outside has no other.
    #[error("the run is one call, and another was proposed in it")]
    OneCall,
    /// The id of a call follows from its run, its step and its place in it.
    #[error("the identity of a call does not follow from its run, its step and its place there")]
    Identity,
    /// What was judged is not what was proposed.
    #[error("the digest that was judged is not that of the call that was proposed")]
    Digest,
    /// A call makes only the moves that it can.
    #[error("{0}")]
    Move(Refused),
    /// The newest judgement does not allow it.
    #[error("the call was executed, and nothing allowed it: it was {0}")]
    Unallowed(&'static str),
    /// It is said to have been approved.
    #[error("the call was executed by an approval that it did not have: {0}")]
    Unapproved(Unapproved),
    /// The question is not the one that is due.
    #[error("the question does not follow from where the call stands")]
    Question,
    /// The answer does not count.
    #[error("the answer does not count: {0}")]
    Answer(String),
    /// The answer settles the question, or does not, against what is said.
    #[error("whether the answer settles the question is told wrong: {given} of {needed} approvals were there")]
    Settled {
        /// How many there were.
        given: usize,
        /// How many were due.
        needed: u32,
    },
    /// Nobody can have been reminded of it then.
    #[error("a reminder stands where none was due: people are reminded once, of what they have not answered")]
    Reminder,
    /// The wait cannot have ended so.
    #[error("the wait is said to have ended in a way in which it did not")]
    Wait,
    /// The call cannot have ended so.
    #[error("the call is said to have ended in a way for which nothing stands before it")]
    Ending,
    /// A run that has ended waits for nobody.
    #[error("the run ended while a question was open")]
    OpenQuestion,
    /// Nothing of a run that has ended goes on.
    #[error("the run ended while a call had not")]
    OpenCall,
}

/// Why an approval does not authorise an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unapproved {
    /// There was no question.
    #[error("nobody was asked")]
    Unasked,
    /// The question was not answered, or not with yes.
    #[error("nobody said yes")]
    Unanswered,
    /// They said yes to something else.
    #[error("the approval was given to a call with another digest")]
    Digest,
    /// Too few did.
    #[error("{given} of {needed} different principals who may had approved")]
    TooFew {
        /// How many did.
        given: usize,
        /// How many are due.
        needed: u32,
    },
    /// It was used up.
    #[error("the approval had been used up by an earlier execution")]
    Spent,
}
