import { chmod, readFile, writeFile } from 'node:fs/promises';

export interface Credentials {
  readonly accountId: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Runs `admin <args> --json` and returns what it printed. */
export type Admin = (...args: string[]) => Promise<string>;

/** Returns the demo account's key from `file` if it still works, or else creates and saves a new one. */
export async function loadOrCreateCredentials(admin: Admin, file: string | undefined): Promise<Credentials> {
  const saved = file === undefined ? undefined : await readSaved(file);
  const keys = saved ? await listKeys(admin, saved.accountId) : [];
  if (saved && keys.some((key) => key['api_key'] === saved.apiKey && !key['revoked_ts'])) return saved;
  // The account exists if it has keys, even if ours was revoked.
  const accountId =
    saved && keys.length > 0
      ? saved.accountId
      : textOf(parse(await admin('create-account', '--name', 'demo')), 'account_id');
  const key = parse(await admin('create-key', '--account', accountId, '--name', 'first key'));
  const credentials = { accountId, apiKey: textOf(key, 'api_key'), apiSecret: textOf(key, 'api_secret') };
  if (file !== undefined) await save(file, credentials);
  return credentials;
}

/** A link that signs in to the console as an owner of the account, once. */
export async function createConsoleLink(admin: Admin, accountId: string): Promise<string> {
  const person = ['--email', 'demo@localhost', '--name', 'Demo', '--role', 'OWNER'];
  return textOf(parse(await admin('create-person', '--account', accountId, ...person)), 'link');
}

/** Empty if the account does not exist, because the database is not that of the last run. */
async function listKeys(admin: Admin, accountId: string): Promise<Record<string, unknown>[]> {
  const answer = await admin('list-keys', '--account', accountId).then(parse, () => ({}));
  const keys = (answer as { keys?: unknown }).keys;
  return Array.isArray(keys) ? (keys as Record<string, unknown>[]) : [];
}

async function readSaved(file: string): Promise<Credentials | undefined> {
  try {
    const saved = parse(await readFile(file, 'utf8'));
    return {
      accountId: textOf(saved, 'account_id'),
      apiKey: textOf(saved, 'api_key'),
      apiSecret: textOf(saved, 'api_secret'),
    };
  } catch {
    // Missing or invalid: a new key is created and saved.
    return undefined;
  }
}

async function save(file: string, { accountId, apiKey, apiSecret }: Credentials): Promise<void> {
  const text = JSON.stringify(
    { account_id: accountId, api_key: apiKey, api_secret: apiSecret },
    undefined,
    2,
  );
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(file, 0o600);
}

function parse(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

function textOf(value: Record<string, unknown>, name: string): string {
  const text = value[name];
  if (typeof text !== 'string') throw new Error(`The output of the server's admin command has no ${name}.`);
  return text;
}
