-- What was taken away from a run since it started: a JSON array of frames, of which lists show it.
ALTER TABLE runs ADD COLUMN narrowed TEXT;
