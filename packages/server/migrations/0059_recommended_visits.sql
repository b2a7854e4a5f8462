-- The visits that followed an answer, beside those without one: the same unit on both sides.
ALTER TABLE outcome_days ADD COLUMN recommended_visits double precision[] NOT NULL DEFAULT '{}',
  ADD COLUMN recommended_converted double precision[] NOT NULL DEFAULT '{}',
  ADD COLUMN recommended_target_events double precision[] NOT NULL DEFAULT '{}',
  ADD COLUMN recommended_value double precision[] NOT NULL DEFAULT '{}';
-- The next run counts all days again.
UPDATE outcome_states SET attribution_hours = NULL;
