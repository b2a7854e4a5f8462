import { readOptions, USAGE } from './command/options.ts';
import { optionsOrUsage, runCommand } from './command/run-command.ts';
import { welcome } from './command/screen.ts';
import { type RunningStack, startStack } from './command/start-stack.ts';
import { shortPath } from './command/workspace.ts';

const options = optionsOrUsage(readOptions, USAGE);
if (options)
  await runCommand(async ({ closers, signal, stopRequested }) => {
    const running = await startStack(options, closers, signal);
    announce(running, options.json);
    const problem = await Promise.race([stopRequested, running.server.ended]);
    if (problem) throw problem;
  });

function announce(
  { baseUrl, isPortMoved, credentials, consoleLink, postgres, redis, workspace }: RunningStack,
  json: boolean,
): void {
  const { apiKey, apiSecret } = credentials;
  if (json) {
    const access = { api_key: apiKey, api_secret: apiSecret, console_link: consoleLink };
    console.log(JSON.stringify({ base_url: baseUrl, ...access }));
    if (!redis) console.error('Redis was not found: rate limits apply per process.');
    return;
  }
  console.log(
    welcome({
      baseUrl,
      isPortMoved,
      apiKey,
      apiSecret,
      consoleLink,
      postgres: postgres.description,
      redis:
        redis?.description ??
        'not found: rate limits apply per process. To install it: apt install redis-server',
      serverLog: shortPath(workspace.serverLog),
      seconds: performance.now() / 1000,
    }),
  );
}
