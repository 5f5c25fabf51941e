-- For a list of more than two words SQLite makes a table in memory each time a row is checked; for comparisons it does not. What is
-- allowed stays the same, and so does every row: only the words of the two tables change, as SQLite's manual has it done.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(
    sql,
    'phase IN (''active'', ''woken'', ''waiting'', ''completed'', ''failed'', ''cancelled'', ''set_aside'')',
    'phase = ''active'' OR phase = ''woken'' OR phase = ''waiting'' OR phase = ''completed'' OR phase = ''failed''
        OR phase = ''cancelled'' OR phase = ''set_aside'''
) WHERE type = 'table' AND name = 'runs';

UPDATE sqlite_schema SET sql = replace(
    sql,
    'status IN (''open'', ''answered'', ''expired'', ''cancelled'')',
    'status = ''open'' OR status = ''answered'' OR status = ''expired'' OR status = ''cancelled'''
) WHERE type = 'table' AND name = 'interactions';

-- Has everybody read the schema again.
CREATE TABLE changed (x INTEGER) STRICT;
DROP TABLE changed;
PRAGMA writable_schema = RESET;
