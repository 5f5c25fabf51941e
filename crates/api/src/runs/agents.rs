//! `GET /api/agents`: the agents that can be run.

use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentBody {
    name: String,
    description: Option<String>,
    /// The model that speaks for it, by its name in the configuration.
    model: String,
    /// Whether a script speaks for it instead of a model.
    script: bool,
    /// The tools it is offered; null is all.
    tools: Option<Vec<String>>,
}

/// All agents.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentPage {
    items: Vec<AgentBody>,
    next: Option<String>,
}

/// The agents that can be run.
#[utoipa::path(get, operation_id = "list_agents", path = "/agents", tag = "runs", responses((status = 200, body = AgentPage), (status = 401, body = Problem)))]
pub async fn agents(State(api): State<Api>, _: SignedIn) -> Json<AgentPage> {
    let items = api.runtime.agents().into_iter().map(|(name, agent)| AgentBody {
        name,
        description: agent.description,
        model: agent.model_name,
        script: agent.model.is_script(),
        tools: agent.tools,
    });
    Json(AgentPage { items: items.collect(), next: None })
}
