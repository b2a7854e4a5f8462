import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obtainCredentials } from '../src/command/credentials.ts';

/** A server's admin command, with its accounts in memory. */
function makeAdmin() {
  const accounts = new Map<string, { api_key: string; revoked_ts: number | null }[]>();
  const admin = async (command: string, _flag?: string, value = ''): Promise<string> => {
    const keys = accounts.get(value);
    switch (command) {
      case 'create-account': {
        const id = `account-${accounts.size + 1}`;
        accounts.set(id, []);
        return JSON.stringify({ account_id: id });
      }
      case 'create-key': {
        if (!keys) throw new Error('no such account');
        const key = { api_key: `${value}-key-${keys.length + 1}`, revoked_ts: null };
        keys.push(key);
        return JSON.stringify({ api_key: key.api_key, api_secret: `secret of ${key.api_key}` });
      }
      case 'list-keys':
        if (!keys) throw new Error('no such account');
        return JSON.stringify({ keys });
      default:
        throw new Error(`unknown command ${command}`);
    }
  };
  return { admin, accounts };
}

describe('the demo credentials', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tastegraph-test-'));
    file = join(directory, 'credentials.json');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are the same at the next start, and readable by their owner only', async () => {
    const { admin, accounts } = makeAdmin();
    const first = await obtainCredentials(admin, file);
    expect(await obtainCredentials(admin, file)).toEqual(first);
    expect(accounts.size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('are made anew for a database that does not know them', async () => {
    await obtainCredentials(makeAdmin().admin, file);
    const other = makeAdmin();
    const credentials = await obtainCredentials(other.admin, file);
    expect(other.accounts.get(credentials.accountId)).toHaveLength(1);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ api_key: credentials.apiKey });
  });

  it('get a new key on the same account when theirs was revoked', async () => {
    const { admin, accounts } = makeAdmin();
    const first = await obtainCredentials(admin, file);
    for (const key of accounts.get(first.accountId) ?? []) key.revoked_ts = 1;
    const second = await obtainCredentials(admin, file);
    expect(second.accountId).toBe(first.accountId);
    expect(second.apiKey).not.toBe(first.apiKey);
  });

  it('survive a file that is not theirs', async () => {
    await writeFile(file, 'not JSON');
    expect((await obtainCredentials(makeAdmin().admin, file)).apiKey).toBe('account-1-key-1');
  });
});
