-- Moves of accounts between cells and trainings that workers share are gone. No release had them, so every release can work without.

-- With its triggers on 17 tables.
DROP FUNCTION refuse_moving() CASCADE;
ALTER TABLE accounts DROP COLUMN moving_to, DROP COLUMN moved_at;
DROP TABLE training_blocks;
