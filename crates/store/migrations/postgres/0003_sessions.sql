-- Which session a run belongs to, so that the conversation goes on from one run to the next.
ALTER TABLE runs ADD COLUMN session TEXT;
CREATE INDEX runs_by_session ON runs (session, key) WHERE session IS NOT NULL;
