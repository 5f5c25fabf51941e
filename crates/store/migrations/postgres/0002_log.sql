-- The log: every event has its place in it, and the tree over their hashes is signed from time to time.

-- Events that have no place yet: `many` of a run from `seq` on.
CREATE TABLE unplaced (
    id   BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run  BIGINT NOT NULL,
    seq  BIGINT NOT NULL,
    many BIGINT NOT NULL CHECK (many > 0)
);

-- `many` events of a run from `seq` on stand in the log from `place` on.
CREATE TABLE log (
    place BIGINT NOT NULL PRIMARY KEY,
    run   BIGINT NOT NULL,
    seq   BIGINT NOT NULL,
    many  BIGINT NOT NULL CHECK (many > 0)
);

CREATE FUNCTION refuse_to_change_the_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is only ever added to';
END $$;

CREATE TRIGGER the_log_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_the_log();

-- How long the log is, the roots of the whole trees that it is made of, the largest first.
CREATE TABLE log_head (
    key      INT    NOT NULL PRIMARY KEY CHECK (key = 1),
    size     BIGINT NOT NULL,
    frontier BYTEA  NOT NULL
);

INSERT INTO log_head (key, size, frontier) VALUES (1, 0, '');

-- How many events there are outside of runs.
CREATE TABLE house_head (
    key INT    NOT NULL PRIMARY KEY CHECK (key = 1),
    seq  BIGINT NOT NULL
);

INSERT INTO house_head (key, seq) VALUES (1, 0);

-- The hashes of the larger whole subtrees, so that a proof need not read all leaves: the `place`-th of its level.
CREATE TABLE subtrees (
    level BIGINT NOT NULL,
    place BIGINT NOT NULL,
    hash  BYTEA  NOT NULL,
    PRIMARY KEY (level, place)
);

-- What was signed: notes, each over the tree as large as it was then.
CREATE TABLE checkpoints (
    size BIGINT NOT NULL PRIMARY KEY,
    note TEXT   NOT NULL,
    at   BIGINT NOT NULL
);

CREATE FUNCTION refuse_to_change_checkpoints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'checkpoints are only ever added';
END $$;

CREATE TRIGGER checkpoints_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_checkpoints();
