-- Outcomes are kept for 400 days.
CREATE INDEX outcomes_by_age ON outcomes (day);
CREATE INDEX outcome_days_by_age ON outcome_days (day);
