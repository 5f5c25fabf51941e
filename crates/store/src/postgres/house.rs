//! Events outside of runs. They are counted like those of a run, and whoever adds some holds the count until they are in.

use super::statement::Statement;
use crate::rows::HouseRow;
use crate::rows::event::columns;

/// The key that events outside of runs have in place of a run's.
pub const HOUSE: i64 = 0;

/// The parts of a statement that add `rows`, for each row of `from`. Whoever also changes the policy names its head there:
/// then both heads are always locked in the same order.
pub fn adding(values: &mut Statement, rows: &[HouseRow], from: &str) -> [String; 3] {
    let many = values.value(i64::try_from(rows.len()).unwrap_or(-1));
    let counted = format!("house AS (UPDATE house_head SET seq = seq + {many} {from} RETURNING seq - {many} AS seq)");
    let at = values.column(rows, |row| row.at);
    let texts = [
        values.column(rows, |row| row.kind.to_owned()),
        values.column(rows, |row| row.data.clone()),
        values.column(rows, |row| columns(&row.payload).0.map(ToOwned::to_owned)),
        values.column(rows, |row| row.before.clone()),
        values.column(rows, |row| row.after.clone()),
    ];
    let texts = texts.map(|text| format!("{text}::text[]")).join(", ");
    let salt = values.column(rows, |row| columns(&row.payload).1.map(ToOwned::to_owned));
    // What the leaf is the hash of is known but for the place: the database puts it in.
    let added = format!(
        "housed AS (
            INSERT INTO events (run, seq, at, type, data, texts, salt, leaf)
            SELECT {HOUSE}, house.seq + one.n, one.time, one.kind, one.data, one.texts, one.salt,
                sha256('\\x00'::bytea || convert_to(one.before || (house.seq + one.n)::text || one.after, 'UTF8'))
            FROM house, unnest({at}::bigint[], {texts}, {salt}::bytea[]) WITH ORDINALITY
                AS one (time, kind, data, texts, before, after, salt, n)
        )"
    );
    let entered =
        format!("noted AS (INSERT INTO unplaced (run, seq, many) SELECT {HOUSE}, house.seq + 1, {many} FROM house)");
    [counted, added, entered]
}
