-- What a plan allows of projects, algorithms, models and shards of user and item datasets. A version without these caps runs beside
-- this one: it neither reads nor writes the columns, and plans that it makes get the defaults.

ALTER TABLE plans
  ADD COLUMN max_user_shards integer NOT NULL DEFAULT 100000 CHECK (max_user_shards >= 0),
  ADD COLUMN max_item_shards integer NOT NULL DEFAULT 100000 CHECK (max_item_shards >= 0),
  ADD COLUMN max_projects integer NOT NULL DEFAULT 1000 CHECK (max_projects >= 0),
  ADD COLUMN max_algorithms integer NOT NULL DEFAULT 10000 CHECK (max_algorithms >= 0),
  ADD COLUMN max_models integer NOT NULL DEFAULT 10000 CHECK (max_models >= 0);

-- A plan with an account that has more already allows twice what that account has.
UPDATE plans SET
  max_user_shards = greatest(max_user_shards, 2 * used.user_shards),
  max_item_shards = greatest(max_item_shards, 2 * used.item_shards),
  max_projects = greatest(max_projects, 2 * used.projects),
  max_algorithms = greatest(max_algorithms, 2 * used.algorithms),
  max_models = greatest(max_models, 2 * used.models)
FROM (
  SELECT plan, max(user_shards) AS user_shards, max(item_shards) AS item_shards, max(projects) AS projects,
    max(algorithms) AS algorithms, max(models) AS models
  FROM (
    SELECT a.plan,
      (SELECT coalesce(sum(num_shards), 0) FROM datasets d
        WHERE d.account_id = a.account_id AND d.kind = 'user' AND d.deleted_at IS NULL) AS user_shards,
      (SELECT coalesce(sum(num_shards), 0) FROM datasets d
        WHERE d.account_id = a.account_id AND d.kind = 'item' AND d.deleted_at IS NULL) AS item_shards,
      (SELECT count(*) FROM projects p WHERE p.account_id = a.account_id) AS projects,
      (SELECT count(*) FROM projects p JOIN algorithms USING (project_key) WHERE p.account_id = a.account_id) AS algorithms,
      (SELECT count(*) FROM projects p JOIN models USING (project_key) WHERE p.account_id = a.account_id) AS models
    FROM accounts a
  ) of_account
  GROUP BY plan
) used
WHERE plans.plan = used.plan;
