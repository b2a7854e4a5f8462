import { styleText } from 'node:util';

/** What \`npm run dev\` listens on if it can. */
export const usualPort = 8080;

export interface Welcome {
  readonly baseUrl: string;
  /** Whether another process has the usual port. */
  readonly isPortMoved: boolean;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly consoleLink: string;
  readonly postgres: string;
  readonly redis: string;
  readonly serverLog: string;
  readonly seconds: number;
}

const bold = (text: string) => styleText('bold', text);
const dim = (text: string) => styleText('dim', text);

export function welcome(it: Welcome): string {
  return `
  ${bold('Tastegraph is running.')} ${dim(`Ready in ${it.seconds.toFixed(1)} s.`)}

  URL         ${bold(it.baseUrl)}${it.isPortMoved ? dim(` (port ${usualPort} is in use; projects keep the address they were created with)`) : ''}
  Console     ${bold(it.consoleLink)}
  API docs    ${bold(`${it.baseUrl}/docs`)}
  API key     ${it.apiKey}
  API secret  ${it.apiSecret}
  PostgreSQL  ${it.postgres}
  Redis       ${it.redis}
  Log         ${it.serverLog}

  ${bold('Next:')} let the command line and the SDK use it,

export TASTEGRAPH_URL=${it.baseUrl}
export TASTEGRAPH_API_KEY=${it.apiKey}
export TASTEGRAPH_API_SECRET=${it.apiSecret}

  or get a token and create a dataset.

TOKEN=$(curl -sS ${it.baseUrl}/oauth/token \\
  -d client_id=${it.apiKey} \\
  -d client_secret=${it.apiSecret} \\
  -d scope=/create-user-dataset | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${it.baseUrl}/create-user-dataset \\
  -H "Authorization: Bearer $TOKEN" -H 'APIKey: ${it.apiKey}' \\
  -H 'Content-Type: application/json' -d '{"name": "users", "num_shards": 1}'

  ${dim('Press Ctrl-C to stop everything.')}
`;
}

/** Shows the current step on one line that is overwritten, on a terminal only. */
export function showStep(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${step === '' ? '' : dim(`${step} …`)}`);
}
