import { AuthError } from '@tastegraph/sdk';
import { abortable } from '../abortable.ts';
import { usageError } from '../cli-error.ts';
import { openClient } from '../session.ts';
import {
  type Credentials,
  environment,
  removeCredentials,
  storeCredentials,
  suggestCredentials,
} from '../settings.ts';
import { isInteractive, prompt, promptSecret, readStdin } from '../terminal/prompt.ts';
import type { AddCommand } from './command.ts';

interface LoginOptions {
  readonly url?: string;
  readonly key?: string;
}

export const addLogin: AddCommand = (program) => {
  program
    .command('login')
    .summary('log in to a service')
    .description(
      [
        'Verify the credentials and store them in $XDG_CONFIG_HOME/tastegraph/config.json, readable only by you.',
        'The command prompts for what you do not pass.',
        'It prompts for the secret without echo, or reads it from stdin: `tastegraph login --url … --key … < secret.txt`.',
      ].join(' '),
    )
    .option('--url <url>', 'URL of the service, for example http://localhost:8080')
    .option('--key <key>', 'API key')
    .withoutClient<LoginOptions>(async ({ options, output, signal }) => {
      const env = environment();
      const known = suggestCredentials(env);
      const url =
        options.url ??
        (await abortable(promptFor('URL', known.url ?? 'http://localhost:8080', '--url'), signal));
      const apiKey = options.key ?? (await abortable(promptFor('API key', known.apiKey, '--key'), signal));
      const secret = isInteractive() ? promptSecret('API secret: ') : readStdin();
      const apiSecret = (await abortable(secret, signal)).trim();
      if (apiSecret === '')
        throw usageError(
          'The API secret is empty.',
          'Enter it at the prompt, or pass it on stdin: `tastegraph login … < secret.txt`.',
        );
      await verifyCredentials({ url, apiKey, apiSecret }, signal);
      const path = storeCredentials(env, { url, apiKey, apiSecret });
      output.result(
        { url, api_key: apiKey, config: path },
        () => `Logged in to ${url}. Credentials stored in ${path}.`,
      );
    });
  program
    .command('logout')
    .summary('remove the stored credentials')
    .description('Remove the credentials that `tastegraph login` stored. The API key stays valid.')
    .withoutClient(async ({ output }) => {
      const config = removeCredentials(environment());
      output.result({ config }, () => `Removed ${config}.`);
    });
};

async function promptFor(what: string, known: string | undefined, option: string): Promise<string> {
  const missing = usageError(`${what} is missing.`, `Pass it with ${option}.`);
  if (!isInteractive()) throw missing;
  const answer = (await prompt(`${what}${known === undefined ? '' : ` [${known}]`}: `)).trim() || known;
  if (answer === undefined) throw missing;
  return answer;
}

/** A key without the scope to list projects is valid too. */
async function verifyCredentials(credentials: Credentials, signal: AbortSignal): Promise<void> {
  const names = { url: '--url', apiKey: '--key', apiSecret: 'The API secret' };
  const client = openClient(credentials, names, signal);
  try {
    await client.listProjects({ page_size: 1 });
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'SCOPE_MISSING') throw error;
  }
}
