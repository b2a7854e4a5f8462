-- Accounts that `admin move-account` moves to another cell. Until the account is deleted here, nobody changes what was copied: these
-- triggers refuse it in the transaction of the change, whichever process makes it. Every version answers an error of class 58 with 503.
-- Upserts check the account themselves, since a trigger per record would cost too much.

ALTER TABLE accounts ADD COLUMN moving_to text COLLATE "C";
ALTER TABLE accounts ADD COLUMN moved_at timestamptz;

CREATE FUNCTION refuse_moving() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  cell text;
BEGIN
  -- Before the account is read: `move-account` waits for all transactions that have a number when others can see the move.
  PERFORM pg_current_xact_id();
  CASE TG_ARGV[0]
    WHEN 'account' THEN
      SELECT a.moving_to INTO cell FROM accounts a WHERE a.account_id = changed.account_id AND a.moving_to IS NOT NULL
        AND NOT EXISTS (SELECT FROM account_deletions d WHERE d.account_id = a.account_id);
    WHEN 'project' THEN
      SELECT a.moving_to INTO cell FROM projects p JOIN accounts a USING (account_id)
        WHERE p.project_key = changed.project_key AND a.moving_to IS NOT NULL
        AND NOT EXISTS (SELECT FROM account_deletions d WHERE d.account_id = a.account_id);
    WHEN 'dataset' THEN
      SELECT a.moving_to INTO cell FROM datasets s JOIN accounts a USING (account_id)
        WHERE s.dataset_key = changed.dataset_key AND s.deleted_at IS NULL AND a.moving_to IS NOT NULL
        AND NOT EXISTS (SELECT FROM account_deletions d WHERE d.account_id = a.account_id);
    -- A person may have other accounts, so only until the copy is complete.
    WHEN 'person' THEN
      SELECT a.moving_to INTO cell FROM memberships m JOIN accounts a USING (account_id)
        WHERE m.person_id = changed.person_id AND a.moving_to IS NOT NULL AND a.moved_at IS NULL LIMIT 1;
  END CASE;
  IF cell IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = '58TG1', MESSAGE = 'the account moves to cell ' || cell;
  END IF;
  RETURN changed;
END $$;

CREATE TRIGGER refuse_moving BEFORE UPDATE OF name, plan, training_seconds, default_project_key ON accounts
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE OF operations, revoked_at, name ON api_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON memberships
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE UPDATE OF email, name, password_hash ON people
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('person');
-- Workers remove the rows of deleted datasets.
CREATE TRIGGER refuse_moving BEFORE INSERT OR UPDATE ON datasets
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE UPDATE ON dataset_counts
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('dataset');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON projects
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON algorithms
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
-- Workers remove the files of old results.
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE ON jobs
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE OF name ON models
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON deployments
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON past_deployments
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
-- A change of its versions changes the scenario, too.
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON scenarios
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE ON schedules
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
-- Workers measure experiments.
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE OF stopped_at ON experiments
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('project');
-- Workers note how deliveries go.
CREATE TRIGGER refuse_moving BEFORE INSERT OR DELETE OR UPDATE OF url, events, secret, previous_secret ON webhooks
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
CREATE TRIGGER refuse_moving BEFORE INSERT ON erasures
  FOR EACH ROW EXECUTE FUNCTION refuse_moving('account');
