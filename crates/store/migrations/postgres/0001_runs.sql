-- Runs, their events, their questions, the policy's changes, and who may speak. Times are microseconds since 1970.

CREATE TABLE runs (
    -- What other tables name it by: eight bytes in place of sixteen. Counts up, so that the newest come last.
    key           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            UUID   NOT NULL UNIQUE,
    seq           BIGINT NOT NULL,
    phase         TEXT   NOT NULL CHECK (
        phase IN ('active', 'woken', 'waiting', 'completed', 'failed', 'cancelled', 'set_aside')
    ),
    "user"        TEXT,
    -- Since when there is something to do; NULL while it waits and after it has ended.
    ready_since   BIGINT CHECK ((ready_since IS NOT NULL) = (phase IN ('active', 'woken'))),
    -- Until when it is somebody's. Only a run with something to do is.
    lease_until   BIGINT CHECK (lease_until IS NULL OR ready_since IS NOT NULL),
    fence         BIGINT NOT NULL DEFAULT 0,
    -- Claims in a row under which it came no further.
    attempts      BIGINT NOT NULL DEFAULT 0,
    input_tokens  BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    -- What lists show of the end: JSON.
    ending        TEXT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
) WITH (fillfactor = 80); -- A row changes often: there is room for its next version beside it.

-- Holds only runs with something to do, so that a claim never looks at one that waits. The lease is not part of it: a
-- claim and a renewal touch no index.
CREATE INDEX runs_ready ON runs (ready_since, key) WHERE ready_since IS NOT NULL;
CREATE INDEX runs_by_user ON runs ("user", key) WHERE "user" IS NOT NULL;

-- What happened, in runs and outside of them: the record. It outlives what it is about, and so refers to nothing.
CREATE TABLE events (
    -- The key of a run; 0 for what happens outside of runs.
    run        BIGINT NOT NULL,
    seq        BIGINT NOT NULL CHECK (seq > 0),
    at         BIGINT NOT NULL,
    step       BIGINT,
    type       TEXT   NOT NULL,
    -- Its skeleton: JSON with a mark wherever a text stood.
    data       TEXT   NOT NULL,
    -- What people, models and tools wrote: a JSON array, and what it is hashed with.
    texts      TEXT,
    salt       BYTEA  CHECK ((salt IS NULL) = (texts IS NULL)),
    -- The hash of texts that were erased.
    commitment BYTEA  CHECK (commitment IS NULL OR texts IS NULL),
    -- The hash of all of it, which stands in the log.
    leaf       BYTEA  NOT NULL CHECK (length(leaf) = 32),
    PRIMARY KEY (run, seq)
);

CREATE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are only ever added';
END $$;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE OF run, seq, at, step, type, data, leaf ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_events();

CREATE TRIGGER texts_are_only_erased BEFORE UPDATE OF texts, salt, commitment ON events
    FOR EACH ROW WHEN (OLD.texts IS NULL OR NEW.texts IS NOT NULL OR NEW.commitment IS NULL)
    EXECUTE FUNCTION refuse_to_change_events();

CREATE TRIGGER events_are_never_removed BEFORE DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_events();

-- Where questions stand. What they say follows from the events of their runs.
CREATE TABLE interactions (
    id         UUID   NOT NULL PRIMARY KEY,
    run        BIGINT NOT NULL REFERENCES runs (key),
    status     TEXT   NOT NULL CHECK (status IN ('open', 'answered', 'expired', 'cancelled')),
    expires_at BIGINT NOT NULL
);

CREATE INDEX interactions_by_status ON interactions (status, expires_at, id);
CREATE INDEX interactions_by_run ON interactions (run);

-- The newest answer to a call, for a day: the same user, session and digest are asked once.
CREATE TABLE remembered (
    "user"   TEXT    NOT NULL,
    session  TEXT    NOT NULL,
    digest   BYTEA   NOT NULL,
    approved BOOLEAN NOT NULL,
    at       BIGINT  NOT NULL,
    PRIMARY KEY ("user", session, digest)
);

CREATE INDEX remembered_by_time ON remembered (at);

-- Every change of the policy that was made while a server ran, and what they have led to.
CREATE TABLE policy_changes (
    version BIGINT NOT NULL PRIMARY KEY,
    kind    TEXT   NOT NULL,
    key     TEXT   NOT NULL,
    -- NULL: it is no more.
    body    TEXT,
    by      TEXT   NOT NULL,
    why     TEXT,
    at      BIGINT NOT NULL
);

CREATE FUNCTION refuse_to_change_policy_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'changes of the policy are only ever added';
END $$;

CREATE TRIGGER policy_changes_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_changes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_policy_changes();

-- The last version, in one row. Whoever changes the policy holds it until the change is there for all to see: so whoever
-- has seen a version has seen all before it.
CREATE TABLE policy_head (
    version BIGINT  NOT NULL,
    one     BOOLEAN NOT NULL DEFAULT true UNIQUE CHECK (one)
);

INSERT INTO policy_head (version) VALUES (0);

CREATE TABLE policy_items (
    kind    TEXT COLLATE "C" NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    body    TEXT   NOT NULL,
    version BIGINT NOT NULL REFERENCES policy_changes (version),
    PRIMARY KEY (kind, key)
);

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
