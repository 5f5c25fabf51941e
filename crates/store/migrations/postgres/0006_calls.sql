-- The call of a program outside that a run is; NULL where an agent works.
ALTER TABLE runs ADD COLUMN call UUID;
CREATE UNIQUE INDEX runs_by_call ON runs (call) WHERE call IS NOT NULL;
CREATE INDEX runs_of_calls ON runs (key) WHERE call IS NOT NULL;
CREATE INDEX runs_of_agents ON runs (key) WHERE call IS NULL;

-- What was made under a key that somebody chose, so that a request that is sent again makes nothing new. Kept for some days.
CREATE TABLE receipts (
    by     TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C" NOT NULL,
    -- The digest of the request.
    digest TEXT   NOT NULL,
    -- The id of what was made.
    made   TEXT   NOT NULL,
    at     BIGINT NOT NULL,
    PRIMARY KEY (by, key)
);

CREATE INDEX receipts_by_time ON receipts (at);

-- Whether a person is asked: reports, signals, messages and times are waited for in nobody's inbox.
ALTER TABLE interactions ADD COLUMN asks_people BOOLEAN NOT NULL DEFAULT true;
CREATE INDEX interactions_of_people ON interactions (status, expires_at, id) WHERE asks_people;
