//! `GET /api/interactions`: what waits, the one that ends first first.

use super::advice::reviewed;
use super::body::InteractionBody;
use crate::body::Asked;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::interaction::{Interaction, Status};
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
    let stretch = if words.is_empty() { limit } else { LONGEST_PAGE };
    let filter = InteractionFilter { status, run, user, of_people: true, words, after: which.after, limit: stretch };
    let (items, next) = found(&api, filter, limit as usize).await?;
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

/// How many stretches are read for one page. Whoever wants to know what is behind them asks for the next one.
const MOST_STRETCHES: usize = 20;

/// At most `most` of what `filter` lets through, and where the next page begins.
///
/// Whatever waits for no person is none of the inbox, and must not crowd out what does; and what is looked for may be far apart.
async fn found(
    api: &Api,
    mut filter: InteractionFilter,
    most: usize,
) -> Result<(Vec<Interaction>, Option<String>), Problem> {
    let mut items = vec![];
    for _ in 0..MOST_STRETCHES {
        let page = api.runtime.store().interactions(filter.clone()).await?;
        items.extend(page.items.into_iter().filter(|asked| asked.purpose.is_for_people()));
        if items.len() > most {
            items.truncate(most);
            let last = items.last().map(|last| last.id.to_string());
            return Ok((items, last));
        }
        filter.after = page.next;
        if items.len() == most || filter.after.is_none() {
            break;
        }
    }
    Ok((items, filter.after))
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
