-- What waits has an index of its own, for people and for nobody, and what is settled another one: an open question stands in one
-- small index in place of two large ones.
DROP INDEX interactions_by_status;
DROP INDEX interactions_of_people;
CREATE INDEX interactions_of_people ON interactions (expires_at, id) WHERE status = 'open' AND asks_people;
CREATE INDEX interactions_of_nobody ON interactions (expires_at, id) WHERE status = 'open' AND NOT asks_people;
CREATE INDEX interactions_settled ON interactions (status, expires_at, id) WHERE status <> 'open' AND asks_people;
