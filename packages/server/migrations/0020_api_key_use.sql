-- API keys have a name and say when they were last used, so that people can tell them apart and see which ones nobody needs. A
-- version without these columns runs beside this one: the keys it creates have no name, and it does not write their use.

ALTER TABLE api_keys ADD COLUMN name text;
-- Written at most once per minute by each process.
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;

-- For lists of audit events of one actor or one operation.
CREATE INDEX audit_events_by_actor ON audit_events (account_id, actor, event_key DESC);
CREATE INDEX audit_events_by_operation ON audit_events (account_id, operation, event_key DESC);
