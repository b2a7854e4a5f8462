import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected } from '../kernel/postgres/statement.ts';

/** For a table of a project's files. */
const removeFiles = (table: string) =>
  affected<[accountId: string, limit: number]>(
    `remove_account_${table}`,
    `WITH removed AS (
      DELETE FROM ${table} WHERE object_key = ANY (ARRAY(
        SELECT f.object_key FROM projects p JOIN ${table} f USING (project_key) WHERE p.account_id = $1 LIMIT $2))
      RETURNING object_key
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) SELECT object_key FROM removed ON CONFLICT DO NOTHING
    ) SELECT object_key FROM removed`,
  );

export const account: AccountContents = {
  remove: removeInOrder({
    decision_files: removeFiles('decision_files'),
    attribution_files: removeFiles('attribution_files'),
  }),
};
