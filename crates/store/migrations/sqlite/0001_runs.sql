-- Runs, their events, their questions, the policy's changes, and who may speak. Times are microseconds since 1970, ids of
-- runs and questions their sixteen bytes.

-- Says whose file it is: "CSGN".
PRAGMA application_id = 0x4353474E;

CREATE TABLE runs (
    -- What other tables name it by: a few bytes in place of sixteen. Counts up, so that the newest come last.
    key           INTEGER NOT NULL PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    seq           INTEGER NOT NULL,
    phase         TEXT    NOT NULL CHECK (
        phase IN ('active', 'woken', 'waiting', 'completed', 'failed', 'cancelled', 'set_aside')
    ),
    user          TEXT,
    -- Since when there is something to do; NULL while it waits and after it has ended.
    ready_since   INTEGER CHECK ((ready_since IS NOT NULL) = (phase IN ('active', 'woken'))),
    -- Until when it is somebody's. Only a run with something to do is.
    lease_until   INTEGER CHECK (lease_until IS NULL OR ready_since IS NOT NULL),
    fence         INTEGER NOT NULL DEFAULT 0,
    -- Claims in a row under which it came no further.
    attempts      INTEGER NOT NULL DEFAULT 0,
    input_tokens  INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    -- What lists show of the end: JSON.
    ending        TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;

-- Holds only runs with something to do, so that a claim never looks at one that waits.
CREATE INDEX runs_ready ON runs (ready_since, key, lease_until) WHERE ready_since IS NOT NULL;
CREATE INDEX runs_by_user ON runs (user, key) WHERE user IS NOT NULL;

-- What happened, in runs and outside of them: the record. It outlives what it is about, and so refers to nothing.
CREATE TABLE events (
    -- The key of a run; 0 for what happens outside of runs.
    run        INTEGER NOT NULL,
    seq        INTEGER NOT NULL CHECK (seq > 0),
    at         INTEGER NOT NULL,
    step       INTEGER,
    type       TEXT    NOT NULL,
    -- Its skeleton: JSON with a mark wherever a text stood.
    data       TEXT    NOT NULL,
    -- What people, models and tools wrote: a JSON array, and what it is hashed with.
    texts      TEXT,
    salt       BLOB    CHECK ((salt IS NULL) = (texts IS NULL)),
    -- The hash of texts that were erased.
    commitment BLOB    CHECK (commitment IS NULL OR texts IS NULL),
    -- The hash of all of it, which stands in the log.
    leaf       BLOB    NOT NULL CHECK (length(leaf) = 32),
    PRIMARY KEY (run, seq)
) STRICT;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE OF run, seq, at, step, type, data, leaf ON events
BEGIN
    SELECT RAISE(ABORT, 'events are only ever added');
END;

CREATE TRIGGER texts_are_only_erased BEFORE UPDATE OF texts, salt, commitment ON events
WHEN OLD.texts IS NULL OR NEW.texts IS NOT NULL OR NEW.commitment IS NULL
BEGIN
    SELECT RAISE(ABORT, 'events are only ever added');
END;

CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are only ever added');
END;

-- Where questions stand. What they say follows from the events of their runs.
CREATE TABLE interactions (
    id         BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    run        INTEGER NOT NULL REFERENCES runs (key),
    status     TEXT    NOT NULL CHECK (status IN ('open', 'answered', 'expired', 'cancelled')),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX interactions_by_status ON interactions (status, expires_at, id);
CREATE INDEX interactions_by_run ON interactions (run);

-- The newest answer to a call, for a day: the same user, session and digest are asked once.
CREATE TABLE remembered (
    user     TEXT    NOT NULL,
    session  TEXT    NOT NULL,
    digest   BLOB    NOT NULL,
    approved INTEGER NOT NULL CHECK (approved IN (0, 1)),
    at       INTEGER NOT NULL,
    PRIMARY KEY (user, session, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX remembered_by_time ON remembered (at);

-- Every change of the policy that was made while the server ran, and what they have led to.
CREATE TABLE policy_changes (
    version INTEGER NOT NULL PRIMARY KEY,
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    -- NULL: it is no more.
    body    TEXT,
    by      TEXT    NOT NULL,
    why     TEXT,
    at      INTEGER NOT NULL
) STRICT;

CREATE TRIGGER policy_changes_are_never_changed BEFORE UPDATE ON policy_changes
BEGIN
    SELECT RAISE(ABORT, 'changes of the policy are only ever added');
END;

CREATE TRIGGER policy_changes_are_never_removed BEFORE DELETE ON policy_changes
BEGIN
    SELECT RAISE(ABORT, 'changes of the policy are only ever added');
END;

CREATE TABLE policy_items (
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    TEXT    NOT NULL,
    version INTEGER NOT NULL REFERENCES policy_changes (version),
    PRIMARY KEY (kind, key)
) STRICT;

CREATE TABLE tokens (
    id         TEXT    NOT NULL PRIMARY KEY,
    form       TEXT    NOT NULL CHECK (form IN ('token', 'session', 'link')),
    hash       TEXT    NOT NULL UNIQUE,
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    role       TEXT    NOT NULL,
    groups     TEXT    NOT NULL,
    acts_for   TEXT,
    -- The token that a session was opened with: it ends with it.
    parent     TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    ended_at   INTEGER
) STRICT;
