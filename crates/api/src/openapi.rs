//! The OpenAPI document, made from the handlers themselves.

mod usual;

use crate::interactions::body::FieldBody;
use crate::policy::door::WrongBody;
use crate::{Api, audit, config, docs, interactions, policy, runs, sessions, sign_in, tokens, tool_calls};
use axum::Json;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "Agents propose, people countersign. Errors are RFC 9457 problem details with a stable `code`."
    ),
    servers((url = "/api")),
    security(("token" = []), ("session" = [])),
    // Named here because one holds itself, and so is not followed, and the other stands in problems alone.
    components(schemas(FieldBody, WrongBody)),
    modifiers(&Security)
)]
struct Head;

struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("token", bearer);
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(sign_in::COOKIE)));
        components.add_security_scheme("session", cookie);
    }
}

/// All routes under `/api`.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::with_openapi(Head::openapi())
        .routes(routes!(runs::list::list, runs::start::start))
        .routes(routes!(runs::read::read))
        .routes(routes!(runs::events::events))
        .routes(routes!(runs::suspended::suspended))
        .routes(routes!(runs::signal::signal))
        .routes(routes!(runs::signal::signal_job))
        .routes(routes!(runs::message::message))
        .routes(routes!(runs::message::message_job))
        .routes(routes!(runs::cancel::cancel))
        .routes(routes!(runs::tool_calls::approve))
        .routes(routes!(runs::tool_calls::decline))
        .routes(routes!(runs::tree::tree))
        .routes(routes!(runs::delegated::read, runs::delegated::narrow))
        .routes(routes!(runs::agents::agents))
        .routes(routes!(sessions::list::list))
        .routes(routes!(sessions::messages::messages))
        .routes(routes!(interactions::list::list))
        .routes(routes!(interactions::stream::stream))
        .routes(routes!(interactions::read::read))
        .routes(routes!(interactions::respond::respond))
        .routes(routes!(tool_calls::ask::ask))
        .routes(routes!(tool_calls::read::read))
        .routes(routes!(tool_calls::report::report))
        .routes(routes!(policy::check::check))
        .routes(routes!(policy::dry_run::dry_run))
        .routes(routes!(policy::changes::list))
        .routes(routes!(policy::changes::undo))
        .routes(routes!(policy::rules::list, policy::rules::create))
        .routes(routes!(policy::rules::put, policy::rules::delete))
        .routes(routes!(policy::capabilities::list))
        .routes(routes!(policy::capabilities::put, policy::capabilities::delete))
        .routes(routes!(policy::overrides::list))
        .routes(routes!(policy::overrides::read, policy::overrides::put, policy::overrides::delete))
        .routes(routes!(policy::roles::list))
        .routes(routes!(policy::roles::put, policy::roles::delete))
        .routes(routes!(policy::tools::list))
        .routes(routes!(policy::tools::put, policy::tools::delete))
        .routes(routes!(policy::permissions::read))
        .routes(routes!(policy::permissions::allow, policy::permissions::take_back_allow))
        .routes(routes!(policy::permissions::deny, policy::permissions::take_back_deny))
        .routes(routes!(config::reload))
        .routes(routes!(audit::list::list))
        .routes(routes!(audit::export::export))
        .routes(routes!(audit::verify::verify))
        .routes(routes!(audit::erase::erase))
        .routes(routes!(tokens::list::list, tokens::create::create))
        .routes(routes!(tokens::revoke::revoke))
        .routes(routes!(sign_in::door::me))
        .routes(routes!(sign_in::door::sign_in))
        .routes(routes!(sign_in::door::sign_out))
        .route("/openapi.json", axum::routing::get(async || Json(document())))
        .route("/docs", axum::routing::get(docs::page))
}

/// The document, as it is served and published.
pub fn document() -> Document {
    let mut document = routes().split_for_parts().1;
    usual::add(&mut document);
    document
}
