-- For the metric that says how long ago the events of the project that waits longest were attributed: it must not read all projects.
CREATE INDEX outcome_states_by_age ON outcome_states ((coalesce(attributed_at, due_at)));
