-- What stood where the texts of an event have placeholders, sealed under a key that is not in this database. It is gone when
-- the run has ended.
CREATE TABLE secrets (
    run    BIGINT NOT NULL,
    seq    BIGINT NOT NULL,
    sealed BYTEA  NOT NULL,
    PRIMARY KEY (run, seq)
);
