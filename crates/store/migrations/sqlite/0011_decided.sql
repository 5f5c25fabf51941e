-- The call that somebody decided about: whoever is asked about the same one again is shown what was said. NULL until then.
ALTER TABLE interactions ADD COLUMN decided INTEGER;
CREATE INDEX interactions_decided ON interactions (decided, expires_at) WHERE decided IS NOT NULL;
