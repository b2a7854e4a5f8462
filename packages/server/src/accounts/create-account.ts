import { ApiError } from '../http/api-error.ts';
import { newId } from '../http/ids.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { insertAccount } from './rows/accounts.ts';

export async function createAccount(
  db: Queryable,
  name: string,
  plan: string,
): Promise<{ account_id: string }> {
  const account_id = newId('account');
  if (!(await insertAccount(db, { account_id, name, plan })))
    throw new ApiError(
      'NOT_FOUND',
      `Plan "${plan}" does not exist. Create it with "admin set-plan", or choose one from "admin list-plans".`,
    );
  return { account_id };
}

/** For the operator, who may see every account. */
export function accountNotFound(accountId: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `Account "${accountId}" does not exist. "admin list-accounts" lists all accounts.`,
  );
}
