-- Which project serves a call that names none.

-- When the project was first deployed: it stays after a shutdown. The first of an account's is its default project.
ALTER TABLE projects ADD COLUMN first_deployed_at timestamptz;
CREATE INDEX projects_by_first_deployment ON projects (account_id, first_deployed_at, project_key)
  WHERE first_deployed_at IS NOT NULL;

-- The default project that the developer chose; when it is deleted, the first deployed one is the default again.
ALTER TABLE accounts ADD COLUMN default_project_key integer REFERENCES projects ON DELETE SET NULL;
CREATE INDEX accounts_by_default_project ON accounts (default_project_key) WHERE default_project_key IS NOT NULL;

UPDATE projects p SET first_deployed_at = deployed.first_at FROM (
    SELECT d.project_key, least(d.deployed_at, (SELECT min(j.finished_at) FROM jobs j
      WHERE j.project_key = d.project_key AND j.job_type = 'DEPLOYMENT' AND j.job_status = 'SUCCEED')) AS first_at
    FROM deployments d
  ) deployed WHERE p.project_key = deployed.project_key;

-- A trigger, and not a statement of the worker, so that a worker of the version before keeps it too.
CREATE FUNCTION note_first_deployment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE projects SET first_deployed_at = clock_timestamp()
    WHERE project_key = NEW.project_key AND first_deployed_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER note_first_deployment AFTER INSERT ON deployments
  FOR EACH ROW EXECUTE FUNCTION note_first_deployment();
