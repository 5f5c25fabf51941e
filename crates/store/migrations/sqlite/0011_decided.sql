-- The call that somebody decided about: whoever is asked about the same one again is shown what was said. NULL until then, and
-- for what was decided before there was this column.
ALTER TABLE interactions ADD COLUMN decided INTEGER;
CREATE INDEX interactions_decided ON interactions (decided, run) WHERE decided IS NOT NULL;
