//! Tokens, sessions and sign-in links. Only hashes of them are known here.

use crate::failure::of_sqlite;
use crate::rows::TokenRow;
use crate::time;
use countersign_domain::Digest;
use countersign_runtime::ports::{StoreError, TokenEntry};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

/// Keeps a new one.
pub fn add(db: &Connection, token: &TokenRow, hash: Digest) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO tokens
            (id, form, hash, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let TokenRow { id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at } = token;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute((
                id,
                form,
                hash.to_string(),
                kind,
                name,
                role,
                groups,
                acts_for,
                parent,
                created_at,
                expires_at,
                ended_at,
            ))
        })
        .map_err(of_sqlite("tokens", id))?;
    Ok(())
}

/// The one with this hash, if it holds at `now`.
pub fn holding(db: &Connection, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
    let sql = "
        SELECT id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at
        FROM tokens
        WHERE hash = ?1 AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)";
    found(db, sql, hash, now)
}

/// Uses up the sign-in link with this hash, if it holds at `now`. Of several who try, one gets it.
pub fn use_up_link(db: &Connection, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
    let sql = "
        UPDATE tokens SET ended_at = ?2
        WHERE hash = ?1 AND form = 'link' AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)
        RETURNING id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at";
    found(db, sql, hash, now)
}

fn found(db: &Connection, sql: &str, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
    let found = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row((hash.to_string(), time::column(now)), row).optional())
        // Not even a hash belongs into an error.
        .map_err(of_sqlite("tokens", "by hash"))?;
    found.map(TokenEntry::try_from).transpose()
}

/// All tokens, the oldest first; no sessions, no links.
pub fn all(db: &Connection) -> Result<Vec<TokenEntry>, StoreError> {
    let sql = "
        SELECT id, form, kind, name, role, groups, acts_for, parent, created_at, expires_at, ended_at
        FROM tokens WHERE form = 'token'
        ORDER BY created_at, id";
    let rows: rusqlite::Result<Vec<TokenRow>> =
        db.prepare_cached(sql).and_then(|mut statement| statement.query_map([], row)?.collect());
    rows.map_err(of_sqlite("tokens", "list"))?.into_iter().map(TokenEntry::try_from).collect()
}

/// Ends a token or session, and the sessions that were opened with it. One that has ended already keeps the time at which it did.
pub fn revoke(db: &Connection, id: &str, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "UPDATE tokens SET ended_at = coalesce(ended_at, ?2) WHERE (id = ?1 OR parent = ?1) AND form <> 'link'";
    let changed = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute((id, time::column(now))))
        .map_err(of_sqlite("tokens", id))?;
    Ok(changed > 0)
}

/// Whether there has never been one that was given to somebody, or a link that was used.
pub fn none_yet(db: &Connection) -> Result<bool, StoreError> {
    db.prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM tokens WHERE form <> 'link' OR ended_at IS NOT NULL)")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(of_sqlite("tokens", "any"))
}

fn row(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
    Ok(TokenRow {
        id: row.get(0)?,
        form: row.get(1)?,
        kind: row.get(2)?,
        name: row.get(3)?,
        role: row.get(4)?,
        groups: row.get(5)?,
        acts_for: row.get(6)?,
        parent: row.get(7)?,
        created_at: row.get(8)?,
        expires_at: row.get(9)?,
        ended_at: row.get(10)?,
    })
}
