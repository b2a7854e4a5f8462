import { bringUp, type Running } from './command/bring-up.ts';
import { readOptions, USAGE } from './command/options.ts';
import { optionsOrUsage, runCommand } from './command/run-command.ts';
import { welcome } from './command/screen.ts';
import { shortPath } from './command/workplace.ts';

const options = optionsOrUsage(readOptions, USAGE);
if (options)
  await runCommand(async ({ closers, signal, stopRequested }) => {
    const running = await bringUp(options, closers, signal);
    announce(running, options.json);
    const problem = await Promise.race([stopRequested, running.server.ended]);
    if (problem) throw problem;
  });

function announce({ baseUrl, credentials, postgres, redis, workplace }: Running, json: boolean): void {
  const { apiKey, apiSecret } = credentials;
  if (json) {
    console.log(JSON.stringify({ base_url: baseUrl, api_key: apiKey, api_secret: apiSecret }));
    if (!redis) console.error('No Redis was found: limits are kept in the process.');
    return;
  }
  console.log(
    welcome({
      baseUrl,
      apiKey,
      apiSecret,
      postgres: postgres.description,
      redis: redis?.description ?? 'none found: limits are kept in the process',
      serverLog: shortPath(workplace.serverLog),
      seconds: performance.now() / 1000,
    }),
  );
}
