-- The changes of one thing, so that each is shown with what stood before it.
CREATE INDEX policy_changes_by_thing ON policy_changes (kind, key, version);
