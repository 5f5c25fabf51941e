//! A statement whose parts depend on what there is to say. Of as few kinds as possible, so that few are prepared.

use super::connection::{Connection, Failed};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// The values of a statement that is being put together.
#[derive(Default)]
pub struct Statement {
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Statement {
    /// Keeps `value`, and gives the name that it has in the text.
    pub fn value(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    /// Keeps a value of each of `rows` as one list, and gives its name in the text.
    pub fn column<R, T>(&mut self, rows: &[R], of: impl Fn(&R) -> T) -> String
    where
        Vec<T>: ToSql + Sync + Send + 'static,
    {
        self.value(rows.iter().map(of).collect::<Vec<T>>())
    }

    /// Does the statement of this text.
    pub async fn rows(&self, db: &Connection, sql: String) -> Result<Vec<Row>, Failed> {
        let values: Vec<&(dyn ToSql + Sync)> =
            self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        db.rows(sql, &values).await
    }
}
