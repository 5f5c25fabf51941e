//! Answers that any call may get, so that no handler has to name them.

use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::response::Response;
use utoipa::openapi::{Content, OpenApi as Document, Ref, RefOr};

/// How a problem is sent.
const PROBLEM: &str = "application/problem+json";

/// Adds the usual answers to every call that does not name them, and says how problems are sent.
pub fn add(document: &mut Document) {
    for path in document.paths.paths.values_mut() {
        let methods = [&mut path.get, &mut path.put, &mut path.post, &mut path.patch, &mut path.delete];
        for operation in methods.into_iter().flatten() {
            for (status, description) in usual(operation) {
                operation.responses.responses.entry(status.to_owned()).or_insert_with(|| problem(description));
            }
            operation.responses.responses.iter_mut().for_each(|(status, answer)| as_sent(status, answer));
        }
    }
}

fn usual(operation: &Operation) -> Vec<(&'static str, &'static str)> {
    let mut usual = vec![
        ("400", "The request cannot be understood"),
        ("403", "Whoever asks may not, or another site's page asks"),
        ("503", "The database does not answer, or cannot write; nothing was changed"),
    ];
    if operation.security.is_none() {
        usual.push(("401", "Nobody proved who they are"));
        usual.push((
            "429",
            "More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds",
        ));
    }
    let named = operation.parameters.iter().flatten().any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.parameter_in == ParameterIn::Path,
        RefOr::Ref(_) => false,
    });
    if named {
        usual.push(("404", "There is no such thing, or it is not theirs to see"));
    }
    if operation.request_body.is_some() {
        usual.push(("408", "The body did not arrive in time"));
        usual.push(("413", "The body is larger than 1 MiB"));
        usual.push(("415", "A browser sent the body as something else than JSON"));
    }
    usual
}

fn problem(description: &str) -> RefOr<Response> {
    let mut response = Response::new(description);
    let content = Content::new(Some(Ref::from_schema_name("Problem")));
    response.content.insert(PROBLEM.to_owned(), RefOr::T(content));
    RefOr::T(response)
}

fn as_sent(status: &str, answer: &mut RefOr<Response>) {
    let RefOr::T(response) = answer else { return };
    if status.starts_with(['4', '5'])
        && let Some(content) = response.content.shift_remove("application/json")
    {
        response.content.insert(PROBLEM.to_owned(), content);
    }
}
