-- A project that gets calls adds a file to the decision log up to every 20 seconds, so in a cell with many projects four bytes are used up within
-- years or weeks: see docs/decisions/ids.md. The last release has neither table, so there is nothing to rewrite. Otherwise it takes 8 seconds per
-- million files on a busy machine, for which workers, /get-recommendation and /erase-user wait; recommendation calls do not read these tables.
ALTER TABLE decision_files ALTER COLUMN file_key TYPE bigint;
-- In the stage DECISIONS, the key of a file.
ALTER TABLE erasures ALTER COLUMN position TYPE bigint;
