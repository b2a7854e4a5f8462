import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

export interface Credentials {
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** A write key, which needs no secret and only writes events. */
export interface WriteCredentials {
  readonly url: string;
  readonly writeKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The only function that reads the environment. */
export function environment(): Environment {
  return process.env;
}

function configPath(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'tastegraph', 'config.json');
}

/** Defaults for `login`, which may replace a broken config file. */
export function suggestCredentials(env: Environment): Partial<Credentials> {
  try {
    return findCredentials(env);
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}

/** Names for error messages, by where each value comes from. */
export function credentialNames(env: Environment): Credentials & WriteCredentials {
  const name = (variable: string, what: string) =>
    env[variable] ? variable : `The ${what} that \`tastegraph login\` stored`;
  return {
    url: name('TASTEGRAPH_URL', 'URL'),
    apiKey: name('TASTEGRAPH_API_KEY', 'API key'),
    apiSecret: name('TASTEGRAPH_API_SECRET', 'API secret'),
    writeKey: 'TASTEGRAPH_WRITE_KEY',
  };
}

/** Each environment variable takes precedence over the value in the file. */
function findCredentials(env: Environment): Partial<Credentials> {
  const stored = readConfig(configPath(env));
  const url = env['TASTEGRAPH_URL'] || stored.url;
  const apiKey = env['TASTEGRAPH_API_KEY'] || stored.apiKey;
  const apiSecret = env['TASTEGRAPH_API_SECRET'] || stored.apiSecret;
  return { ...(url && { url }), ...(apiKey && { apiKey }), ...(apiSecret && { apiSecret }) };
}

export function requireCredentials(env: Environment): Credentials {
  const { url, apiKey, apiSecret } = findCredentials(env);
  if (url && apiKey && apiSecret) return { url, apiKey, apiSecret };
  const missing = [!url && 'URL', !apiKey && 'API key', !apiSecret && 'API secret'].filter(Boolean);
  throw new CliError(
    `Not logged in: ${missing.join(', ')} missing.`,
    'Run `tastegraph login`, or set TASTEGRAPH_URL, TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET.',
    exitCodes.auth,
    { code: 'NOT_LOGGED_IN' },
  );
}

/** For a command that only writes events: the write key if there is one, and else the API key. */
export function requireWriter(env: Environment): Credentials | WriteCredentials {
  const writeKey = env['TASTEGRAPH_WRITE_KEY'];
  if (!writeKey) return requireCredentials(env);
  const { url } = findCredentials(env);
  if (url) return { url, writeKey };
  throw new CliError('The URL of the service is missing.', 'Set TASTEGRAPH_URL.', exitCodes.auth, {
    code: 'NOT_LOGGED_IN',
  });
}

/** Writes the file atomically; other users can never read it. */
export function storeCredentials(env: Environment, { url, apiKey, apiSecret }: Credentials): string {
  const path = configPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  const text = JSON.stringify({ url, api_key: apiKey, api_secret: apiSecret }, null, 2);
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  // The mode above applies only to a new file and is subject to the umask.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return path;
}

export function removeCredentials(env: Environment): string {
  const path = configPath(env);
  rmSync(path, { force: true });
  return path;
}

function readConfig(path: string): Partial<Credentials> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new CliError(
      `Other users can read ${path}, which contains a secret.`,
      `Run \`chmod 600 ${path}\`.`,
      exitCodes.auth,
      { code: 'CONFIG_EXPOSED' },
    );
  try {
    const { url, api_key, api_secret } = JSON.parse(text) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries({ url, apiKey: api_key, apiSecret: api_secret }).filter(
        ([, value]) => typeof value === 'string' && value !== '',
      ),
    );
  } catch {
    throw new CliError(`${path} is not valid JSON.`, 'Run `tastegraph login` again.', exitCodes.auth, {
      code: 'CONFIG_BROKEN',
    });
  }
}
