-- What a model said beside a question. It decides nothing and is no part of the record; it is gone when what was written in the
-- run is erased.
CREATE TABLE advice (
    interaction BLOB    NOT NULL PRIMARY KEY CHECK (length(interaction) = 16),
    status      TEXT    NOT NULL CHECK (status IN ('given', 'none')),
    text        TEXT    CHECK ((text IS NOT NULL) = (status = 'given')),
    -- The model, by its name in the configuration.
    model       TEXT    NOT NULL,
    at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
