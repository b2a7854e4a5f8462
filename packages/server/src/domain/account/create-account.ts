import { insertAccount } from '../../storage/postgres/accounts.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';
import { notFound } from '../fault.ts';
import { newId } from '../ids.ts';

export async function createAccount(
  db: Queryable,
  name: string,
  plan: string,
): Promise<{ account_id: string }> {
  const account_id = newId('account');
  if (!(await insertAccount(db, { account_id, name, plan }))) throw notFound(`plan as "${plan}"`);
  return { account_id };
}
