import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOrCreateCredentials } from '../src/command/credentials.ts';

/** A fake of the server's admin command, with accounts in memory. */
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
        if (!keys) throw new Error('account not found');
        const key = { api_key: `${value}-key-${keys.length + 1}`, revoked_ts: null };
        keys.push(key);
        return JSON.stringify({ api_key: key.api_key, api_secret: `secret of ${key.api_key}` });
      }
      case 'list-keys':
        if (!keys) throw new Error('account not found');
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

  it('are reused at the next start, and readable only by their owner', async () => {
    const { admin, accounts } = makeAdmin();
    const first = await loadOrCreateCredentials(admin, file);
    expect(await loadOrCreateCredentials(admin, file)).toEqual(first);
    expect(accounts.size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('are replaced if the database does not know them', async () => {
    await loadOrCreateCredentials(makeAdmin().admin, file);
    const other = makeAdmin();
    const credentials = await loadOrCreateCredentials(other.admin, file);
    expect(other.accounts.get(credentials.accountId)).toHaveLength(1);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ api_key: credentials.apiKey });
  });

  it('get a new key for the same account if the key was revoked', async () => {
    const { admin, accounts } = makeAdmin();
    const first = await loadOrCreateCredentials(admin, file);
    for (const key of accounts.get(first.accountId) ?? []) key.revoked_ts = 1;
    const second = await loadOrCreateCredentials(admin, file);
    expect(second.accountId).toBe(first.accountId);
    expect(second.apiKey).not.toBe(first.apiKey);
  });

  it('replace an invalid file', async () => {
    await writeFile(file, 'not JSON');
    expect((await loadOrCreateCredentials(makeAdmin().admin, file)).apiKey).toBe('account-1-key-1');
  });
});
