//! The durable core: in one process, a runtime with its workers on a real database, a model that keeps to a plan, and a tool
//! that counts what it did; and as a real server that is killed.

mod crashes;
mod cuts;
mod fencing;
mod kills;
mod lives;
mod node;
mod outages;
mod races;
mod sealed;
mod victim;

/// Makes a test of each function for each engine, on a database of its own.
macro_rules! on_each_engine {
    ($($case:ident,)+) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(crate::durable::node::Database::sqlite()).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(crate::durable::node::Database::postgres().await).await;
            })+
        }
    };
}
pub(crate) use on_each_engine;
