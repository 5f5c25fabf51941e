//! Tokens, sessions and sign-in links. Only hashes of them are known here.

use super::connection::Connection;
use super::statement::Statement;
use super::{house, receipts};
use crate::failure::{of_postgres, of_row};
use crate::rows::{HouseRow, ReceiptRow, TokenRow};
use crate::time;
use countersign_domain::Digest;
use countersign_runtime::ports::{StoreError, TokenEntry};
use jiff::Timestamp;
use tokio_postgres::Row;

/// Keeps a new one.
pub async fn add(
    db: &Connection,
    token: TokenRow,
    hash: Digest,
    made: HouseRow,
    receipt: Option<&ReceiptRow>,
) -> Result<(), StoreError> {
    let TokenRow { id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at } = token;
    let mut values = Statement::default();
    let row = [
        values.value(id.clone()),
        values.value(form),
        values.value(hash.to_string()),
        values.value(kind),
        values.value(name),
        values.value(role),
        values.value(groups),
        values.value(acts_for),
        values.value(parent),
        values.value(created_at),
        values.value(expires_at),
        values.value(ended_at),
    ];
    let added = format!(
        "added AS (
            INSERT INTO tokens
                (id, form, hash, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at)
            VALUES ({}) RETURNING 1
        )",
        row.join(", ")
    );
    let mut parts = [vec![added], house::adding(&mut values, &[made], "FROM added").to_vec()].concat();
    parts.extend(receipt.map(|receipt| receipts::keeping_of(&mut values, receipt, "added")));
    let sql = format!("WITH {} SELECT 1 FROM added", parts.join(", "));
    match values.rows(db, sql).await {
        Ok(_) => Ok(()),
        Err(failed) => Err(receipts::refusal(db, receipt, failed, of_postgres("tokens", id)).await),
    }
}

/// The one with this hash, if it holds at `now`.
pub async fn holding(db: &Connection, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
    let sql = "
        SELECT id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at
        FROM tokens
        WHERE hash = $1 AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > $2)";
    found(db, sql, hash, now).await
}

/// Uses up the sign-in link with this hash, if it holds at `now`. Of several who try, one gets it.
pub async fn use_up_link(db: &Connection, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
    let sql = "
        UPDATE tokens SET ended_at = $2
        WHERE hash = $1 AND form = 'link' AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
        RETURNING id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at";
    found(db, sql, hash, now).await
}

async fn found(
    db: &Connection,
    sql: &'static str,
    hash: Digest,
    now: Timestamp,
) -> Result<Option<TokenEntry>, StoreError> {
    // Not even a hash belongs into an error.
    let rows =
        db.rows(sql, &[&hash.to_string(), &time::column(now)]).await.map_err(of_postgres("tokens", "by hash"))?;
    rows.first().map(entry).transpose()
}

/// All tokens, the oldest first; no sessions, no links.
pub async fn all(db: &Connection) -> Result<Vec<TokenEntry>, StoreError> {
    let sql = "
        SELECT id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at
        FROM tokens WHERE form = 'token'
        ORDER BY created_at, id";
    let rows = db.rows(sql, &[]).await.map_err(of_postgres("tokens", "list"))?;
    rows.iter().map(entry).collect()
}

/// Ends a token or session, and the sessions that were opened with it. One that has ended already keeps the time at which
/// it did.
pub async fn revoke(db: &Connection, id: &str, now: Timestamp, ended: HouseRow) -> Result<bool, StoreError> {
    let mut values = Statement::default();
    let [token, at] = [values.value(id.to_owned()), values.value(time::column(now))];
    let revoked = format!(
        "revoked AS (
            UPDATE tokens SET ended_at = coalesce(ended_at, {at})
            WHERE (id = {token} OR parent = {token}) AND form <> 'link'
            RETURNING 1
        ), once AS (SELECT 1 FROM revoked LIMIT 1)"
    );
    let parts = [vec![revoked], house::adding(&mut values, &[ended], "FROM once").to_vec()].concat();
    let sql = format!("WITH {} SELECT 1 FROM once", parts.join(", "));
    Ok(!values.rows(db, sql).await.map_err(of_postgres("tokens", id))?.is_empty())
}

/// Whether there has never been one that was given to somebody, or a link that was used.
pub async fn none_yet(db: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM tokens WHERE form <> 'link' OR ended_at IS NOT NULL LIMIT 1";
    Ok(db.rows(sql, &[]).await.map_err(of_postgres("tokens", "any"))?.is_empty())
}

fn entry(row: &Row) -> Result<TokenEntry, StoreError> {
    read(row).map_err(of_row("tokens", "read"))?.try_into()
}

fn read(row: &Row) -> Result<TokenRow, tokio_postgres::Error> {
    Ok(TokenRow {
        id: row.try_get(0)?,
        form: row.try_get(1)?,
        kind: row.try_get(2)?,
        name: row.try_get(3)?,
        role: row.try_get(4)?,
        groups: row.try_get(5)?,
        acts_for: row.try_get(6)?,
        parent: row.try_get(7)?,
        created_at: row.try_get(8)?,
        expires_at: row.try_get(9)?,
        ended_at: row.try_get(10)?,
    })
}
