import type { Role } from './config.ts';
import { exitOnSignals } from './processes/early-signals.ts';
import type { Runtime } from './processes/run.ts';

// Before anything else is loaded, which takes a second.
exitOnSignals();

const usage = `Usage: tastegraph-server COMMAND
  api           serve the API: datasets, records, projects, jobs, tokens
  serving       serve recommendation calls
  worker        run jobs and background work
  all-in-one    run all three in one process
  migrate       upgrade the database schema
  admin         manage accounts, people, keys and plans; "admin --help" lists the commands
  dev           run everything on this machine, with a private PostgreSQL and Redis, to try it and to develop
  demo          the same with a sample bookshop, from import to recommendations
  health        exit with 0 if the process with the same settings is ready; "health worker" checks a worker

--version prints the version. dev and demo are in the npm package and in a clone, not in the image.
Settings are read from the environment: docs/reference/settings.md.
`;

/** Each command imports only what it needs, because containers run the health check every few seconds. */
async function main([command = '', ...args]: string[]): Promise<number> {
  switch (command) {
    case 'api':
    case 'serving':
    case 'worker':
    case 'all-in-one':
      return run(command, await starts[command]());
    case 'migrate': {
      const { readConfig } = await import('./config.ts');
      const { migrate } = await import('./processes/migrate.ts');
      const applied = await migrate(readConfig().databaseUrl);
      process.stdout.write(
        applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n',
      );
      return 0;
    }
    case 'health': {
      const { runHealth } = await import('./processes/health.ts');
      return runHealth(args[0]);
    }
    case 'admin': {
      const { readConfig } = await import('./config.ts');
      const { runAdmin } = await import('./processes/admin.ts');
      return runAdmin(readConfig(), args);
    }
    case '--version': {
      const { readFileSync } = await import('node:fs');
      const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
        version: string;
      };
      process.stdout.write(`${manifest.version}\n`);
      return 0;
    }
    default:
      process.stderr.write(usage);
      return command === '' || command === '--help' ? 0 : 2;
  }
}

const starts = {
  api: async () => (await import('./processes/api.ts')).startApi,
  serving: async () => (await import('./processes/serving.ts')).startServing,
  worker: async () => (await import('./processes/worker.ts')).startWorker,
  'all-in-one': async () => (await import('./processes/all-in-one.ts')).startAllInOne,
};

async function run(role: Role, start: (runtime: Runtime) => Promise<unknown>): Promise<number> {
  const { readConfig } = await import('./config.ts');
  const { runRole } = await import('./processes/run.ts');
  await runRole(readConfig(undefined, { role }), role, start);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { explainFailure } = await import('./processes/explain-failure.ts');
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exitCode = 1;
}
