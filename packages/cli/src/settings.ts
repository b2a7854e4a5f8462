import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { exitCodes } from './exit-codes.ts';
import { Problem } from './problem.ts';

export interface Credentials {
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The one place that reads the environment. */
export function environment(): Environment {
  return process.env;
}

function configPath(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'tastegraph', 'config.json');
}

/** What `login` may offer: it is about to replace a file that cannot be used. */
export function suggestCredentials(env: Environment): Partial<Credentials> {
  try {
    return findCredentials(env);
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

/** What to call each in a message: where it comes from. */
export function credentialNames(env: Environment): Credentials {
  const name = (variable: string, what: string) =>
    env[variable] ? variable : `The ${what} that \`tastegraph login\` stored`;
  return {
    url: name('TASTEGRAPH_URL', 'address'),
    apiKey: name('TASTEGRAPH_API_KEY', 'key'),
    apiSecret: name('TASTEGRAPH_API_SECRET', 'secret'),
  };
}

/** The environment's word before the file's, one by one. */
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
  const missing = [!url && 'address', !apiKey && 'API key', !apiSecret && 'API secret'].filter(Boolean);
  throw new Problem(
    `Not logged in: the ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not known.`,
    'Run `tastegraph login`, or set TASTEGRAPH_URL, TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET.',
    exitCodes.auth,
    { code: 'NOT_LOGGED_IN' },
  );
}

/** Written whole or not at all, and never for a moment readable by others. */
export function storeCredentials(env: Environment, { url, apiKey, apiSecret }: Credentials): string {
  const path = configPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  const text = JSON.stringify({ url, api_key: apiKey, api_secret: apiSecret }, null, 2);
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  // The mode above holds for a new file only, and the umask may have taken from it.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return path;
}

export function forgetCredentials(env: Environment): string {
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
    throw new Problem(
      `${path} holds a secret and may be read by others.`,
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
    throw new Problem(`${path} is not JSON.`, 'Run `tastegraph login` again.', exitCodes.auth, {
      code: 'CONFIG_BROKEN',
    });
  }
}
