import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected } from '../kernel/postgres/statement.ts';

const removeExperiments = affected<[accountId: string, limit: number]>(
  'remove_account_experiments',
  `DELETE FROM experiments WHERE experiment_key = ANY (ARRAY(
      SELECT x.experiment_key FROM projects p JOIN experiments x USING (project_key) WHERE p.account_id = $1 LIMIT $2))
    RETURNING experiment_key`,
);

/** Before the models that running ones refer to. */
export const account: AccountContents = { remove: removeInOrder({ experiments: removeExperiments }) };
