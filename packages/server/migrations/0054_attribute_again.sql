-- A named answer counts only for its user, an item it held, and within attribution_hours: the next run attributes all days again.
UPDATE outcome_states SET attribution_hours = NULL;
