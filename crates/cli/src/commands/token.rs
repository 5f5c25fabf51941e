//! `countersign token create|list|revoke`: who may speak to the server.

use super::serve::operator;
use crate::args::{TokenCommand, TokenCreate, TokenList, TokenRevoke};
use crate::failure::Failure;
use crate::home::Database;
use crate::output::{self, visible};
use crate::rim;
use countersign_domain::Principal;
use countersign_domain::principal::{ANYBODY, Kind, Role};
use countersign_runtime::principals::make_token;
use serde_json::json;

/// Carries out the command.
pub fn run(command: &TokenCommand) -> Result<u8, Failure> {
    super::in_async(async {
        match command {
            TokenCommand::Create(create) => made(create).await,
            TokenCommand::List(list) => listed(list).await,
            TokenCommand::Revoke(revoke) => revoked(revoke).await,
        }
    })
}

async fn made(create: &TokenCreate) -> Result<u8, Failure> {
    let kind: Kind = create.kind.parse().map_err(|wrong| Failure::new(format!("--kind: {wrong}")))?;
    let role = match &create.role {
        Some(role) => role.parse::<Role>().map_err(|wrong| Failure::new(format!("--role: {wrong}")))?,
        None => Role::Viewer,
    };
    let anybody = create.act_for.then(|| ANYBODY.to_owned());
    let principal = Principal {
        groups: create.group.clone(),
        acts_for: create.acts_for.clone().or(anybody),
        ..Principal::new(kind, create.name.clone(), role)
    };
    let store = Database::named(create.db.as_deref())?.open().await?;
    let token = make_token(&*store, principal, Some(&operator()), None).await.map_err(Failure::new)?;
    output::line(token.secret.reveal());
    Ok(0)
}

async fn listed(list: &TokenList) -> Result<u8, Failure> {
    let store = Database::named(list.db.as_deref())?.open().await?;
    for token in store.tokens().await.map_err(|error| Failure::from_store(&error))? {
        let who = &token.principal;
        if list.json {
            output::json_line(
                &json!({
                    "id": token.id, "kind": who.kind, "name": who.name, "role": who.role, "groups": who.groups,
                    "for": who.acts_for, "created_at": token.created_at, "revoked_at": token.ended_at,
                })
                .to_string(),
            );
            continue;
        }
        let state = token.ended_at.map_or_else(String::new, |at| format!("  revoked {at}"));
        let acts_for = who.acts_for.as_ref().map_or_else(String::new, |user| format!(" for {}", visible(user)));
        let (kind, role, name) = (who.kind.word(), who.role.word(), visible(&who.name));
        output::line(&format!("{}  {kind:<8} {role:<9} {name}{acts_for}{state}", token.id));
    }
    Ok(0)
}

async fn revoked(revoke: &TokenRevoke) -> Result<u8, Failure> {
    let store = Database::named(revoke.db.as_deref())?.open().await?;
    if store.revoke(&revoke.id, Some(&operator()), rim::now()).await.map_err(|error| Failure::from_store(&error))? {
        return Ok(0);
    }
    Err(Failure::new(format!("there is no token `{}`; `countersign token list` shows all", revoke.id)))
}
