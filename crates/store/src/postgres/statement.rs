//! A statement whose parts depend on what there is to say. What is prepared stays, so there are to be few texts.

use super::connection::{Connection, Failed};
use std::fmt::Write;
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
        format!("${}", self.number(value))
    }

    /// Keeps `value`, and gives the number that it has in the text.
    fn number(&mut self, value: impl ToSql + Sync + Send + 'static) -> usize {
        self.values.push(Box::new(value));
        self.values.len()
    }

    /// Keeps a value of each of `rows` as one list, and gives its name in the text.
    pub fn column<R, T>(&mut self, rows: &[R], of: impl Fn(&R) -> T) -> String
    where
        Vec<T>: ToSql + Sync + Send + 'static,
    {
        self.value(rows.iter().map(of).collect::<Vec<T>>())
    }

    /// A table of `rows` for the text, whose columns are still to be told.
    pub fn table<'a, R>(&'a mut self, form: Form, rows: &'a [R]) -> Table<'a, R> {
        Table {
            statement: self,
            form,
            rows,
            names: String::new(),
            lists: String::new(),
            cells: vec![String::new(); rows.len()],
        }
    }

    /// Does the statement of this text.
    pub async fn rows(&self, db: &Connection, sql: String) -> Result<Vec<Row>, Failed> {
        let values: Vec<&(dyn ToSql + Sync)> =
            self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        db.rows(sql, &values).await
    }
}

/// How a table of values stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A list for each column: a text for any number of rows.
    Lists,
    /// Every value by itself: less work for the server, and another text for every number of rows.
    Plain,
}

/// A table of values.
pub struct Table<'a, R> {
    statement: &'a mut Statement,
    form: Form,
    rows: &'a [R],
    /// The names of the columns.
    names: String,
    /// The lists that they are,
    lists: String,
    /// or what is in each row.
    cells: Vec<String>,
}

impl<R> Table<'_, R> {
    /// A column of this name and type.
    pub fn column<T>(mut self, name: &str, kind: &str, of: impl Fn(&R) -> T) -> Self
    where
        T: ToSql + Sync + Send + 'static,
        Vec<T>: ToSql + Sync + Send + 'static,
    {
        append(&mut self.names, format_args!("{name}"));
        match self.form {
            Form::Lists => {
                let list = self.statement.column(self.rows, of);
                append(&mut self.lists, format_args!("{list}::{kind}[]"));
            }
            Form::Plain => {
                for (row, cells) in self.rows.iter().zip(&mut self.cells) {
                    append(cells, format_args!("${}::{kind}", self.statement.number(of(row))));
                }
            }
        }
        self
    }

    /// A column of numbers by which rows of several tables are known to belong together. Plainly they are part of the text.
    pub fn places(mut self, name: &str, of: impl Fn(&R) -> i32) -> Self {
        if self.form == Form::Lists {
            return self.column(name, "int", of);
        }
        append(&mut self.names, format_args!("{name}"));
        for (row, cells) in self.rows.iter().zip(&mut self.cells) {
            append(cells, format_args!("{}", of(row)));
        }
        self
    }

    /// The table, under this name.
    pub fn named(self, name: &str) -> String {
        let Self { names, lists, cells, .. } = self;
        match self.form {
            Form::Lists => format!("unnest({lists}) AS {name} ({names})"),
            Form::Plain => format!("(VALUES ({})) AS {name} ({names})", cells.join("), (")),
        }
    }
}

/// Appends one of several things, with a comma between them.
fn append(text: &mut String, one: std::fmt::Arguments<'_>) {
    let comma = if text.is_empty() { "" } else { ", " };
    // Writing to a text does not fail.
    let _ = write!(text, "{comma}{one}");
}
