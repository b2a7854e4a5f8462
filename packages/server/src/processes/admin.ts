import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { createAccount } from '../domain/account/create-account.ts';
import { createKey } from '../domain/account/create-key.ts';
import { limitKey, revokeKey } from '../domain/account/manage-keys.ts';
import { Fault, notFound } from '../domain/fault.ts';
import { rotateSigningKeys } from '../domain/token/signing-keys.ts';
import { listAccounts, listPlans, updateAccountPlan, upsertPlan } from '../storage/postgres/accounts.ts';
import { listApiKeys } from '../storage/postgres/api-keys.ts';
import { checkSchema } from '../storage/postgres/migrate.ts';
import { type Database, openDatabase } from '../storage/postgres/pool.ts';

const usage = `admin commands (each takes --json for one line of JSON):
  create-account --name NAME [--plan PLAN]
  list-accounts
  limit-account --account ID --plan PLAN
  create-key --account ID [--operations "/get-job /list-jobs"]    the secret is shown this once
  list-keys --account ID
  limit-key --key API_KEY [--operations "/get-job …"]             without --operations: no limit
  revoke-key --key API_KEY
  set-plan --plan PLAN --event-shards N [--training-hours N] [--qps N]
  list-plans
  rotate-signing-keys [--force]                                   --force makes all tokens invalid now`;

const options = {
  account: { type: 'string' },
  name: { type: 'string' },
  plan: { type: 'string' },
  key: { type: 'string' },
  operations: { type: 'string' },
  'event-shards': { type: 'string' },
  'training-hours': { type: 'string' },
  qps: { type: 'string' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
type Command = (db: Database, flags: Flags, config: Config) => Promise<object>;

const commands: Record<string, Command> = {
  'create-account': async (db, flags) => createAccount(db, required(flags, 'name'), flags.plan ?? 'default'),
  'list-accounts': async (db) => ({ accounts: await listAccounts(db) }),
  'limit-account': async (db, flags) => {
    const account_id = required(flags, 'account');
    const plan = required(flags, 'plan');
    if (!(await updateAccountPlan(db, account_id, plan)))
      throw notFound(`account "${account_id}" or plan "${plan}"`);
    return { account_id, plan };
  },
  'create-key': async (db, flags, config) =>
    createKey(db, config.cell, required(flags, 'account'), operationsOf(flags)),
  'list-keys': async (db, flags) => ({ keys: await listApiKeys(db, required(flags, 'account')) }),
  'limit-key': async (db, flags) => {
    const api_key = required(flags, 'key');
    const operations = operationsOf(flags);
    await limitKey(db, api_key, operations);
    return { api_key, operations };
  },
  'revoke-key': async (db, flags) => {
    const api_key = required(flags, 'key');
    await revokeKey(db, api_key);
    return { api_key, revoked: true };
  },
  'set-plan': async (db, flags) => {
    const plan = {
      plan: required(flags, 'plan'),
      max_event_shards: wholeNumber(required(flags, 'event-shards'), 'event-shards', 0),
      max_training_hours:
        flags['training-hours'] === undefined ? null : amount(flags['training-hours'], 'training-hours'),
      max_qps: flags.qps === undefined ? null : wholeNumber(flags.qps, 'qps', 1),
    };
    await upsertPlan(db, plan);
    return plan;
  },
  'list-plans': async (db) => ({ plans: await listPlans(db) }),
  'rotate-signing-keys': async (db, flags) => rotateSigningKeys(db, flags.force ?? false),
};

/** Runs one command for the cell's operator; answers the process's exit code. */
export async function runAdmin(config: Config, args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    console.error(usage);
    return name === '' || name === '--help' ? 0 : 2;
  }
  try {
    const { values } = parseArgs({ args: rest, options });
    await checkSchema(config.databaseUrl);
    const db = openDatabase({ url: config.databaseUrl, poolSize: 1, onIdleError: () => undefined });
    try {
      print(await command(db, values, config), values.json ?? false);
    } finally {
      await db.close();
    }
    return 0;
  } catch (error) {
    const expected =
      error instanceof Fault || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    console.error(expected ? (error as Error).message : error);
    return 1;
  }
}

function required(flags: Flags, name: 'account' | 'name' | 'plan' | 'key' | 'event-shards'): string {
  const value = flags[name];
  if (value) return value;
  throw new Fault('INVALID_REQUEST', `--${name} is missing.\n${usage}`);
}

function amount(text: string, name: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new Fault('INVALID_REQUEST', `--${name} must be a number from 0 up.`);
}

function wholeNumber(text: string, name: string, least: number): number {
  const value = Number(text);
  // As much as PostgreSQL's integer holds.
  if (Number.isInteger(value) && value >= least && value <= 2_147_483_647) return value;
  throw new Fault('INVALID_REQUEST', `--${name} must be a whole number from ${least} up.`);
}

function operationsOf(flags: Flags): string[] | null {
  return flags.operations?.split(/[\s,]+/).filter((path) => path !== '') ?? null;
}

function print(answer: object, asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify(answer));
    return;
  }
  const [list] = Object.values(answer) as unknown[];
  if (Array.isArray(list)) console.table(list);
  else for (const [name, value] of Object.entries(answer)) console.log(`${name}: ${JSON.stringify(value)}`);
}
