//! The machine that calls are made on.

use countersign_domain::Call;
use countersign_domain::describe::Described;
use countersign_policy::Policy;

/// What judging needs to know of the machine.
pub trait Machine: Send + Sync + 'static {
    /// Describes `call`, with links followed and `~` understood.
    fn describe(&self, policy: &Policy, call: Call) -> Described;
}
