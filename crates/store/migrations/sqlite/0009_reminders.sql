-- When people are reminded of an open question; NULL where they are not, or not any more.
ALTER TABLE interactions ADD COLUMN remind_at INTEGER;
CREATE INDEX interactions_to_remind ON interactions (remind_at) WHERE remind_at IS NOT NULL;
