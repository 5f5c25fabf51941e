-- The log: every event has its place in it, and the tree over their hashes is signed from time to time.

-- Events that have no place yet, in the order in which they were saved: `many` of a run from `seq` on.
CREATE TABLE unplaced (
    id   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    run  INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    many INTEGER NOT NULL CHECK (many > 0)
) STRICT;

-- `many` events of a run from `seq` on stand in the log from `place` on.
CREATE TABLE log (
    place INTEGER NOT NULL PRIMARY KEY,
    run   INTEGER NOT NULL,
    seq   INTEGER NOT NULL,
    many  INTEGER NOT NULL CHECK (many > 0)
) STRICT;

CREATE TRIGGER the_log_is_never_changed BEFORE UPDATE ON log
BEGIN
    SELECT RAISE(ABORT, 'the log is only ever added to');
END;

CREATE TRIGGER the_log_is_never_cut BEFORE DELETE ON log
BEGIN
    SELECT RAISE(ABORT, 'the log is only ever added to');
END;

-- How long the log is, and the roots of the whole trees that it is made of, the largest first.
CREATE TABLE log_head (
    key      INTEGER NOT NULL PRIMARY KEY CHECK (key = 1),
    size     INTEGER NOT NULL,
    frontier BLOB    NOT NULL
) STRICT;

INSERT INTO log_head (key, size, frontier) VALUES (1, 0, x'');

-- The hashes of the larger whole subtrees, so that a proof need not read all leaves: the `place`-th of its level.
CREATE TABLE subtrees (
    level INTEGER NOT NULL,
    place INTEGER NOT NULL,
    hash  BLOB    NOT NULL,
    PRIMARY KEY (level, place)
) STRICT, WITHOUT ROWID;

-- What was signed: notes, each over the tree as large as it was then.
CREATE TABLE checkpoints (
    size INTEGER NOT NULL PRIMARY KEY,
    note TEXT    NOT NULL,
    at   INTEGER NOT NULL
) STRICT;

CREATE TRIGGER checkpoints_are_never_changed BEFORE UPDATE ON checkpoints
BEGIN
    SELECT RAISE(ABORT, 'checkpoints are only ever added');
END;

CREATE TRIGGER checkpoints_are_never_removed BEFORE DELETE ON checkpoints
BEGIN
    SELECT RAISE(ABORT, 'checkpoints are only ever added');
END;
