-- The most that one event counts in outcomes and experiments. Null for no limit.
ALTER TABLE projects ADD COLUMN event_value_max double precision CHECK (event_value_max >= 0);
-- That of the last run.
ALTER TABLE outcome_states ADD COLUMN event_value_max double precision;
