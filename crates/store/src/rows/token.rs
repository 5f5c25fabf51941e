//! A row of `tokens`.

use super::Place;
use crate::{json, time};
use countersign_domain::Principal;
use countersign_runtime::ports::{NewToken, StoreError, TokenEntry, TokenForm};

/// A token, session or sign-in link, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    pub id: String,
    pub form: String,
    pub kind: String,
    pub name: String,
    pub role: String,
    pub groups: String,
    pub acts_for: Option<String>,
    pub parent: Option<String>,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub ended_at: Option<i64>,
}

impl TryFrom<&NewToken> for TokenRow {
    type Error = StoreError;

    fn try_from(token: &NewToken) -> Result<Self, StoreError> {
        let TokenEntry { id, form, principal, parent, created_at, expires_at, ended_at } = &token.entry;
        let place = Place { table: "tokens", row: id };
        Ok(Self {
            id: id.clone(),
            form: form.word().to_owned(),
            kind: principal.kind.word().to_owned(),
            name: principal.name.clone(),
            role: principal.role.word().to_owned(),
            groups: json::text_of(&principal.groups).map_err(|why| place.wrong(why))?,
            acts_for: principal.acts_for.clone(),
            parent: parent.clone(),
            created_at: time::column(*created_at),
            expires_at: expires_at.map(time::column),
            ended_at: ended_at.map(time::column),
        })
    }
}

impl TryFrom<TokenRow> for TokenEntry {
    type Error = StoreError;

    fn try_from(row: TokenRow) -> Result<Self, StoreError> {
        let place = Place { table: "tokens", row: &row.id };
        let forms = [TokenForm::Token, TokenForm::Session, TokenForm::Link];
        let form = forms.into_iter().find(|form| form.word() == row.form);
        Ok(Self {
            form: form.ok_or_else(|| place.wrong(format!("`{}` is no form of token", row.form)))?,
            principal: Principal {
                groups: json::thing_in(&row.groups).map_err(|why| place.wrong(why))?,
                acts_for: row.acts_for,
                ..Principal::new(place.parse(&row.kind)?, row.name, place.parse(&row.role)?)
            },
            parent: row.parent,
            created_at: place.time(row.created_at)?,
            expires_at: row.expires_at.map(|at| place.time(at)).transpose()?,
            ended_at: row.ended_at.map(|at| place.time(at)).transpose()?,
            id: row.id,
        })
    }
}
