-- Serving processes that start load the latest deployed models first, until their memory is full.
CREATE INDEX deployments_by_age ON deployments (deployed_at DESC, project_key DESC);
