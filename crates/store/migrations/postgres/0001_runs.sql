-- Runs, their events, their questions, and who may speak. Times are microseconds since 1970, ids are text as people see it.

CREATE TABLE runs (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq         BIGINT NOT NULL,
    phase       TEXT   NOT NULL CHECK (phase IN ('active', 'woken', 'waiting', 'completed', 'failed')),
    "user"      TEXT,
    -- Since when there is something to do; NULL while it waits and after it has ended.
    ready_since BIGINT CHECK ((ready_since IS NOT NULL) = (phase IN ('active', 'woken'))),
    -- Until when it is somebody's. Only a run with something to do is.
    lease_until BIGINT CHECK (lease_until IS NULL OR ready_since IS NOT NULL),
    fence       BIGINT NOT NULL DEFAULT 0,
    -- Claims in a row under which nothing was saved.
    attempts    BIGINT NOT NULL DEFAULT 0,
    summary     TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

-- Holds only runs with something to do, so that a claim never looks at one that waits.
CREATE INDEX runs_ready ON runs (ready_since, id) WHERE ready_since IS NOT NULL;
CREATE INDEX runs_newest ON runs (created_at, id);

CREATE TABLE events (
    run  TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    seq  BIGINT NOT NULL CHECK (seq > 0),
    at   BIGINT NOT NULL,
    step BIGINT,
    type TEXT   NOT NULL,
    data TEXT   NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are only ever added';
END $$;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_events();

CREATE TABLE interactions (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    run             TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    call            TEXT   NOT NULL,
    status          TEXT   NOT NULL CHECK (status IN ('open', 'answered', 'expired', 'cancelled')),
    purpose         TEXT   NOT NULL,
    correlation_key TEXT   NOT NULL,
    digest          TEXT   NOT NULL,
    expires_at      BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    body            TEXT   NOT NULL,
    UNIQUE (run, correlation_key)
);

CREATE INDEX interactions_by_status ON interactions (status, expires_at, id, run);
CREATE INDEX interactions_by_end ON interactions (expires_at, id);

CREATE TABLE tokens (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    form       TEXT   NOT NULL CHECK (form IN ('token', 'session', 'link')),
    hash       TEXT   NOT NULL UNIQUE,
    kind       TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    role       TEXT   NOT NULL,
    groups     TEXT   NOT NULL,
    acts_for   TEXT,
    -- The token that a session was opened with: it ends with it.
    parent     TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    ended_at   BIGINT
);
