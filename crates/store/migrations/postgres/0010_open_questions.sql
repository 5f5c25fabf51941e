-- Whose question it is, where a person is asked: how many each has open is counted before one more is asked.
ALTER TABLE interactions ADD COLUMN asker BIGINT;
CREATE INDEX interactions_by_asker ON interactions (asker) WHERE status = 'open' AND asker IS NOT NULL;
