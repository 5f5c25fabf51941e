-- The call of a program outside that a run is; NULL where an agent works.
ALTER TABLE runs ADD COLUMN call BLOB CHECK (call IS NULL OR length(call) = 16);
CREATE UNIQUE INDEX runs_by_call ON runs (call) WHERE call IS NOT NULL;
CREATE INDEX runs_of_calls ON runs (key) WHERE call IS NOT NULL;
CREATE INDEX runs_of_agents ON runs (key) WHERE call IS NULL;

-- What was made under a key that somebody chose, so that a request that is sent again makes nothing new. Kept for some days.
CREATE TABLE receipts (
    by     TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    -- The digest of the request.
    digest TEXT    NOT NULL,
    -- The id of what was made.
    made   TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (by, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipts_by_time ON receipts (at);

-- Whether a person is asked: reports, signals, messages and times are waited for in nobody's inbox.
ALTER TABLE interactions ADD COLUMN asks_people INTEGER NOT NULL DEFAULT 1 CHECK (asks_people IN (0, 1));
CREATE INDEX interactions_of_people ON interactions (status, expires_at, id) WHERE asks_people = 1;
