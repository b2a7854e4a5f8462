import { AuthError } from '@tastegraph/sdk';
import { unlessInterrupted } from '../interruptible.ts';
import { usageProblem } from '../problem.ts';
import { openClient } from '../session.ts';
import {
  type Credentials,
  environment,
  forgetCredentials,
  storeCredentials,
  suggestCredentials,
} from '../settings.ts';
import { ask, askSecret, isInteractive, readStdin } from '../terminal/prompt.ts';
import { type AddCommand, readCall } from './command.ts';

interface LoginOptions {
  readonly url?: string;
  readonly key?: string;
}

export const addLogin: AddCommand = (program, { signal }) => {
  program
    .command('login')
    .summary('store the address, key and secret')
    .description(
      `Asks for what is not given, tries it, and stores it in $XDG_CONFIG_HOME/tastegraph/config.json, for nobody else to read.
The secret is asked for without echo, or read from stdin: \`tastegraph login --url … --key … < secret.txt\`.`,
    )
    .option('--url <url>', 'where the service is, as http://localhost:8080')
    .option('--key <key>', 'the API key')
    .action(async (...received: unknown[]) => {
      const { options, output } = readCall<LoginOptions>(received);
      const env = environment();
      const known = suggestCredentials(env);
      const askOr = (what: string, offered: string | undefined, option: string) =>
        unlessInterrupted(askFor(what, offered, option), signal);
      const url = options.url ?? (await askOr('Address', known.url ?? 'http://localhost:8080', '--url'));
      const apiKey = options.key ?? (await askOr('API key', known.apiKey, '--key'));
      const secret = isInteractive() ? askSecret('API secret: ') : readStdin();
      const apiSecret = (await unlessInterrupted(secret, signal)).trim();
      if (apiSecret === '')
        throw usageProblem(
          'There is no secret.',
          'Type it when asked, or send it to stdin: `… < secret.txt`.',
        );
      await tryOut({ url, apiKey, apiSecret }, signal);
      const path = storeCredentials(env, { url, apiKey, apiSecret });
      output.result({ url, api_key: apiKey, config: path }, () => `Logged in to ${url}; stored in ${path}.`);
    });
  program
    .command('logout')
    .summary('forget the stored address, key and secret')
    .description('Removes what `tastegraph login` stored. The key itself stays valid.')
    .action((...received: unknown[]) => {
      const config = forgetCredentials(environment());
      readCall(received).output.result({ config }, () => `Removed ${config}.`);
    });
};

async function askFor(what: string, known: string | undefined, option: string): Promise<string> {
  if (!isInteractive())
    throw usageProblem(`The ${what.toLowerCase()} is not given.`, `Give it with ${option}.`);
  const answer = (await ask(`${what}${known === undefined ? '' : ` [${known}]`}: `)).trim() || known;
  if (answer === undefined)
    throw usageProblem(`The ${what.toLowerCase()} is not given.`, `Give it with ${option}.`);
  return answer;
}

/** A key that may not list projects is none the less a good key. */
async function tryOut(credentials: Credentials, signal: AbortSignal): Promise<void> {
  const names = { url: '--url', apiKey: '--key', apiSecret: 'The secret' };
  const client = openClient(credentials, names, signal);
  try {
    await client.listProjects({ page_size: 1 });
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'SCOPE_MISSING') throw error;
  }
}
