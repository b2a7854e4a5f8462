import { parseArgs } from 'node:util';
import { createAccount } from '../accounts/create-account.ts';
import { deleteAccount } from '../accounts/delete-account.ts';
import { listAccounts, listPlans, updateAccountPlan, upsertPlan } from '../accounts/rows/accounts.ts';
import type { Config } from '../config.ts';
import { ApiError } from '../http/api-error.ts';
import { type Database, openDatabase } from '../kernel/postgres/pool.ts';
import { createKey, createWriteKey, limitKey, revokeKey } from '../keys/manage-keys.ts';
import { listApiKeys } from '../keys/rows.ts';
import { rotateSigningKeys } from '../keys/signing-keys.ts';
import { listAccountUsage } from '../usage/get-usage.ts';
import { checkSchema } from './migrate.ts';
import { accountContents, modules } from './modules.ts';
import { printAnswer } from './print-answer.ts';

const usage = `Usage: tastegraph-server admin COMMAND [OPTIONS]
Every command accepts --json, which prints the result as one line of JSON.

  create-account --name NAME [--plan PLAN]
      Create an account. The default plan is "default".
  list-accounts
  limit-account --account ID --plan PLAN
      Put an account on a plan.
  delete-account --account ID [--yes]
      Delete an account and all its data permanently. Without --yes, only list what would be deleted.
  create-key --account ID [--name NAME] [--operations "/get-job /list-jobs"]
      Create an API key. The secret is shown only once. Without --operations, the key allows all operations.
  create-write-key --account ID --event-dataset ID [--user-dataset ID] [--name NAME]
      Create a write key, which senders send as it is to write events to one dataset. It is shown only once.
  list-keys --account ID
  limit-key --key API_KEY [--operations "/get-job …"]
      Set the operations that a key allows. Without --operations, it allows all.
  revoke-key --key API_KEY
  set-plan --plan PLAN --event-shards N [--training-hours N] [--qps N]
      [--user-shards N] [--item-shards N] [--projects N] [--algorithms N] [--models N]
      Create or change a plan. Without --training-hours or --qps, they have no cap; the other caps stay as they are.
  list-plans
  usage [--account ID] [--days N]
      List what each account uses: shards, records, bytes of models, training hours, and its calls of the last days (30 by default).
      With --account, beside the caps of its plan, and its calls by key and project.
  create-person --email EMAIL --account ID [--role ROLE] [--name NAME]
      Give a person a role in an account: VIEWER, EDITOR, OPERATOR or OWNER (the default). Prints a link that signs them in to
      the console once, within 24 hours. Repeat the command for a new link, for example if the person has forgotten the password.
  rotate-signing-keys [--force]
      Sign tokens with a new key. With --force, all existing tokens become invalid immediately.`;

const options = {
  account: { type: 'string' },
  name: { type: 'string' },
  plan: { type: 'string' },
  email: { type: 'string' },
  role: { type: 'string' },
  key: { type: 'string' },
  days: { type: 'string' },
  operations: { type: 'string' },
  'event-dataset': { type: 'string' },
  'user-dataset': { type: 'string' },
  'event-shards': { type: 'string' },
  'user-shards': { type: 'string' },
  'item-shards': { type: 'string' },
  projects: { type: 'string' },
  algorithms: { type: 'string' },
  models: { type: 'string' },
  'training-hours': { type: 'string' },
  qps: { type: 'string' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
type Command = (db: Database, flags: Flags, config: Config) => Promise<object>;

const commands: Record<string, Command> = {
  'create-account': async (db, flags) =>
    createAccount(db, requireFlag(flags, 'name'), flags.plan ?? 'default'),
  'list-accounts': async (db) => ({ accounts: await listAccounts(db) }),
  'limit-account': async (db, flags) => {
    const account_id = requireFlag(flags, 'account');
    const plan = requireFlag(flags, 'plan');
    if (!(await updateAccountPlan(db, account_id, plan)))
      throw new ApiError(
        'NOT_FOUND',
        `Account "${account_id}" or plan "${plan}" does not exist. See "admin list-accounts" and "admin list-plans".`,
      );
    return { account_id, plan };
  },
  'delete-account': async (db, flags) =>
    deleteAccount(db, await accountContents(), requireFlag(flags, 'account'), flags.yes ?? false, (text) =>
      console.error(text),
    ),
  'create-key': async (db, flags, config) =>
    createKey(db, config.cell, requireFlag(flags, 'account'), operationsOf(flags), flags.name ?? null),
  'create-write-key': async (db, flags, config) =>
    createWriteKey(db, config.cell, requireFlag(flags, 'account'), {
      name: flags.name ?? null,
      eventDatasetId: requireFlag(flags, 'event-dataset'),
      userDatasetId: flags['user-dataset'],
    }),
  'list-keys': async (db, flags) => ({ keys: await listApiKeys(db, requireFlag(flags, 'account')) }),
  'limit-key': async (db, flags) => {
    const api_key = requireFlag(flags, 'key');
    const operations = operationsOf(flags);
    await limitKey(db, api_key, operations);
    return { api_key, operations };
  },
  'revoke-key': async (db, flags) => {
    const api_key = requireFlag(flags, 'key');
    await revokeKey(db, api_key);
    return { api_key, revoked: true };
  },
  'set-plan': async (db, flags) =>
    upsertPlan(db, {
      plan: requireFlag(flags, 'plan'),
      max_event_shards: parseInteger(requireFlag(flags, 'event-shards'), 'event-shards', 0),
      max_training_hours: trainingHoursOf(flags),
      max_qps: integerOf(flags, 'qps', 1) ?? null,
      max_user_shards: integerOf(flags, 'user-shards', 0),
      max_item_shards: integerOf(flags, 'item-shards', 0),
      max_projects: integerOf(flags, 'projects', 0),
      max_algorithms: integerOf(flags, 'algorithms', 0),
      max_models: integerOf(flags, 'models', 0),
    }),
  'list-plans': async (db) => ({ plans: await listPlans(db) }),
  usage: async (db, flags) =>
    listAccountUsage(db, { accountId: flags.account, days: integerOf(flags, 'days', 1) ?? 30 }),
  'rotate-signing-keys': async (db, flags) => rotateSigningKeys(db, flags.force ?? false),
};

async function commandOfModule(name: string): Promise<Command | undefined> {
  const load = modules.find(({ admin = {} }) => Object.hasOwn(admin, name))?.admin?.[name];
  const command = await load?.();
  return (
    command &&
    ((db, flags, config) => command(db, { flags, requireFlag: (flag) => requireFlag(flags, flag) }, config))
  );
}

/** Runs one command for the operator. Returns the exit code. */
export async function runAdmin(config: Config, args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : await commandOfModule(name);
  if (!command) {
    console.error(usage);
    return name === '' || name === '--help' ? 0 : 2;
  }
  try {
    const { values } = parseArgs({ args: rest, options });
    await checkSchema(config.databaseUrl);
    const db = openDatabase({ url: config.databaseUrl, poolSize: 1, onIdleError: () => undefined });
    try {
      printAnswer(await command(db, values, config), values.json ?? false);
    } finally {
      await db.close();
    }
    return 0;
  } catch (error) {
    const expected =
      error instanceof ApiError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    console.error(expected ? (error as Error).message : error);
    return 1;
  }
}

type TextFlag = Exclude<keyof Flags, 'force' | 'yes' | 'json'>;

function requireFlag(flags: Flags, name: TextFlag): string {
  const value = flags[name];
  if (value) return value;
  throw new ApiError('INVALID_REQUEST', `--${name} is missing.\n${usage}`);
}

function trainingHoursOf({ 'training-hours': text }: Flags): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new ApiError('INVALID_REQUEST', '--training-hours must be a number of at least 0.');
}

/** Undefined if the flag was not passed. */
function integerOf(flags: Flags, name: TextFlag, min: number): number | undefined {
  const text = flags[name];
  return text === undefined ? undefined : parseInteger(text, name, min);
}

function parseInteger(text: string, name: string, min: number): number {
  const value = Number(text);
  // The maximum of PostgreSQL's integer.
  if (Number.isInteger(value) && value >= min && value <= 2_147_483_647) return value;
  throw new ApiError('INVALID_REQUEST', `--${name} must be an integer of at least ${min}.`);
}

function operationsOf(flags: Flags): string[] | null {
  return flags.operations?.split(/[\s,]+/).filter((path) => path !== '') ?? null;
}
