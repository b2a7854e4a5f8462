import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { type Config, ConfigError, readConfig } from '../config.ts';
import {
  type MoveCell,
  type MovedAccount,
  type MoveOptions,
  moveAccount,
} from '../domain/account/move-account.ts';
import { ApiError } from '../domain/api-error.ts';
import { importFolder } from '../jobs/import/import-folder.ts';
import { openObjectStore } from '../storage/objects/open.ts';
import { checkSchema } from '../storage/postgres/migrate.ts';
import { type Database, openDatabase } from '../storage/postgres/pool.ts';

export interface MoveFlags extends Pick<MoveOptions, 'accountId' | 'step'> {
  /** With the settings of the other cell, so that no secret is on the command line. */
  readonly settingsFile: string;
}

/** What deploy/cells has. */
const map = '/etc/haproxy/moved-keys.map';
const socket = '/run/haproxy/admin.sock';

export async function runMove(
  db: Database,
  config: Config,
  { accountId, step, settingsFile }: MoveFlags,
): Promise<MovedAccount> {
  const target = await readSettings(settingsFile);
  if (JSON.stringify(placeOf(target)) === JSON.stringify(placeOf(config)))
    throw new ApiError('INVALID_REQUEST', 'Both cells have the same OBJECTS_URL. Each cell needs its own.');
  await checkSchema(target.databaseUrl);
  await using stack = new AsyncDisposableStack();
  const targetDb = openDatabase({ url: target.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  stack.defer(() => targetDb.close());
  const from = await openCell(config, db, stack);
  const to = await openCell(target, targetDb, stack);
  const print = (text: string) => console.error(text);
  const moved = await moveAccount({
    from,
    to,
    accountId,
    importPrefix: importFolder(accountId),
    step,
    print,
  });
  if (moved.status === 'COPIED') print(nextSteps(moved));
  return moved;
}

async function readSettings(file: string): Promise<Config> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ApiError(
      'INVALID_REQUEST',
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Pass the settings of the other cell.`,
    );
  });
  try {
    return readConfig(parseEnv(text));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ApiError('INVALID_REQUEST', `In ${file}: ${error.message}`);
  }
}

function placeOf({ objects }: Config) {
  return objects?.kind === 's3' ? [objects.bucket, objects.endpoint] : [objects?.root];
}

async function openCell(
  { cell, databaseUrl, objects }: Config,
  db: Database,
  stack: AsyncDisposableStack,
): Promise<MoveCell> {
  if (!objects)
    throw new ApiError(
      'INVALID_REQUEST',
      `OBJECTS_URL of cell ${cell} is not set. Set it as for its other processes.`,
    );
  const store = stack.use(await openObjectStore(objects));
  return { cell, databaseUrl, db, store };
}

function nextSteps({
  account_id,
  from_cell,
  to_cell,
  moved_keys = [],
  unmoved_people = [],
}: MovedAccount): string {
  const commands = moved_keys.map(({ api_key }) => {
    const named = api_key.split('_')[1];
    if (named === to_cell) return `del map ${map} ${api_key}`;
    return `${named === from_cell ? 'add' : 'set'} map ${map} ${api_key} ${to_cell}`;
  });
  const people = unmoved_people.map(
    (email) =>
      `Cell ${to_cell} has another person ${email}: give them a role there with "admin create-person".\n`,
  );
  return `Account ${account_id} is in cell ${to_cell}. ${people.join('')}
1. Send its calls there. For each HAProxy of deploy/cells, without a reload:
socat stdio ${socket} <<END
${commands.join('\n')}
END
2. So that a restart of HAProxy keeps it, have these lines in ${map}:
${moved_keys.map(({ api_key, cell }) => `${api_key} ${cell}`).join('\n')}
3. Repeat the command with --finish instead of --yes.`;
}
