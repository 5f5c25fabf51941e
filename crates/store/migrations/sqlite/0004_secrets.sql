-- What stood where the texts of an event have placeholders, sealed under a key that is not in this file. It is gone when the
-- run has ended.
CREATE TABLE secrets (
    run    INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    sealed BLOB    NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
