//! `GET /api/interactions`: what waits, the one that ends first first.

use super::advice::reviewed;
use super::body::InteractionBody;
use crate::body::Asked;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::interaction::Status;
use countersign_runtime::ports::InteractionFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which ones.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// `open` (the default), `answered`, `expired`, `cancelled` or `all`.
    status: Option<String>,
    /// Only those of this run.
    run_id: Option<String>,
    /// Only open ones in which all of these words occur: in what is asked, the tool, how dangerous it is, or who asks.
    /// Upper and lower case are the same; at most 20 words.
    search: Option<String>,
    /// `next` of an earlier page.
    after: Option<String>,
    /// At most so many, up to 200. Default: 50.
    limit: Option<u32>,
}

/// A page of questions.
#[derive(Debug, Serialize, ToSchema)]
pub struct InteractionPage {
    items: Vec<InteractionBody>,
    /// Where the next page starts; null on the last one.
    next: Option<String>,
}

/// The most that one page holds.
pub const LONGEST_PAGE: u32 = 200;

/// What waits.
#[utoipa::path(
    get, operation_id = "list_interactions", path = "/interactions", tag = "interactions", params(Which),
    responses((status = 200, body = InteractionPage), (status = 400, body = Problem), (status = 401, body = Problem))
)]
pub async fn list(
    State(api): State<Api>,
    who: SignedIn,
    Asked(which): Asked<Which>,
) -> Result<Json<InteractionPage>, Problem> {
    let status = match which.status.as_deref() {
        None | Some("open") => Some(Status::Open),
        Some("answered") => Some(Status::Answered),
        Some("expired") => Some(Status::Expired),
        Some("cancelled") => Some(Status::Cancelled),
        Some("all") => None,
        Some(_) => {
            return Err(Problem::invalid("`status` is one of `open`, `answered`, `expired`, `cancelled`, `all`"));
        }
    };
    let run =
        which.run_id.map(|id| id.parse()).transpose().map_err(|_| Problem::invalid("`run_id` is no id of a run"))?;
    let limit = which.limit.unwrap_or(50).clamp(1, LONGEST_PAGE);
    let words = words(which.search.as_deref().unwrap_or_default())?;
    let user = who.only_of();
    let mut filter = InteractionFilter { status, run, user, of_people: true, words, after: which.after, limit };
    let mut items = vec![];
    // Whatever waits for no person is none of the inbox, and must not crowd out what does.
    let next = loop {
        let page = api.runtime.store().interactions(filter.clone()).await?;
        items.extend(page.items.into_iter().filter(|asked| asked.purpose.is_for_people()));
        filter.limit = limit.saturating_sub(u32::try_from(items.len()).unwrap_or(limit));
        filter.after = page.next;
        if filter.limit == 0 || filter.after.is_none() {
            break filter.after;
        }
    };
    let now = api.runtime.store().now().await?;
    let mut reviewed = reviewed(&api, &who, &items).await?;
    Ok(Json(InteractionPage {
        items: items
            .into_iter()
            .map(|asked| {
                let review = reviewed.remove(&asked.id);
                InteractionBody::at(who.sight().of(asked), now).advised(review)
            })
            .collect(),
        next,
    }))
}

/// The most words that one looks for.
const MOST_WORDS: usize = 20;

fn words(search: &str) -> Result<Vec<String>, Problem> {
    let words: Vec<String> = search.split_whitespace().map(str::to_owned).collect();
    if words.len() > MOST_WORDS {
        return Err(Problem::invalid(format!("`search` has more than {MOST_WORDS} words")));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Problem::invalid("`search` holds a character that no text has"));
    }
    Ok(words)
}
