//! `countersign doctor`.

use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Look at everything that a server needs, and say what is wrong and what to do about it
///
/// Looks at the configuration, the database and its schema, the key that signs the record and the checkpoints, the clock, free
/// space, the sandbox, the address to listen on, the models' keys, and whether the web page is part of this build. Nothing is
/// changed by that: no database is made or brought to another schema, no key is made. Secrets are not shown.
///
/// Exit codes: 0 nothing failed (warnings are printed), 1 something did.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "With --json one document is printed:

  {\"status\": \"ok\" | \"warning\" | \"failed\", \"version\": …,
   \"checks\": [{\"id\": …, \"status\": …, \"text\": …, \"hint\": … or null, \"details\": […]}]}

The checks, each there exactly once and in this order: config, database, schema, audit_key, checkpoints, clock, disk, sandbox,
listen, models, page.")]
pub struct Doctor {
    /// The configuration file. Without it: a demo
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The address that would be listened on. Default: `server.listen`, or 127.0.0.1:7717
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: `store`, or a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
