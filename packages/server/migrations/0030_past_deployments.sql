-- What was deployed before, for a rollback. A version without it runs beside this one: what it replaces is not kept, and deleting a
-- model or a project removes its rows whoever does it.

CREATE TABLE past_deployments (
  past_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- A model that is no longer deployed can be deleted. No rollback returns to it then.
  generator_model_key integer NOT NULL REFERENCES models ON DELETE CASCADE,
  ranker_model_key integer REFERENCES models ON DELETE CASCADE
);

CREATE INDEX past_deployments_by_project ON past_deployments (project_key, past_key DESC);
CREATE INDEX past_deployments_by_generator ON past_deployments (generator_model_key);
CREATE INDEX past_deployments_by_ranker ON past_deployments (ranker_model_key) WHERE ranker_model_key IS NOT NULL;
