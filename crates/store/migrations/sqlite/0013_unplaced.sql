-- Steps are placed in the order in which they came, and there is one writer: whoever comes last has the greatest number by itself.
-- To keep numbers from being given twice as well costs a page of every commit.
CREATE TABLE unplaced_by_number (
    id   INTEGER NOT NULL PRIMARY KEY,
    run  INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    many INTEGER NOT NULL CHECK (many > 0)
) STRICT;

INSERT INTO unplaced_by_number (id, run, seq, many) SELECT id, run, seq, many FROM unplaced ORDER BY id;
DROP TABLE unplaced;
ALTER TABLE unplaced_by_number RENAME TO unplaced;
