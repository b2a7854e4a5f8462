import { ConfigError, readConfig } from './config.ts';
import type { Runtime } from './processes/run.ts';

const usage = `Usage: tastegraph-server COMMAND
  api           datasets, records, projects, tokens
  serving       the recommendation call
  worker        jobs and background work
  all-in-one    all of them in one process
  migrate       bring the database's schema up to date
  admin         accounts, keys and plans; "admin --help" lists the commands
  health        ends with 0 when the process with the same settings can serve; "health worker" for a worker

Settings come from the environment: DATABASE_URL, REDIS_URL, OBJECTS_URL, OBJECTS_TIMEOUT_SECONDS, HOST, PORT, BASE_URL, SERVING_BASE_URL, CELL, LOG_LEVEL, DATABASE_POOL_SIZE, TRUST_PROXY,
METRICS_PORT, DRAIN_SECONDS, SERVING_DEADLINE_MS, SERVING_MEMORY_MB, JOB_PLACES, TRAINING_THREADS, JOB_RETRY_SECONDS, JOB_MAX_HOURS, JOB_HEARTBEAT_SECONDS, JOB_HUNG_SECONDS.
`;

/** Each command loads what it needs and no more: a container asks for its health every few seconds. */
async function main([command = '', ...args]: string[]): Promise<number> {
  switch (command) {
    case 'api': {
      const { startApi } = await import('./processes/api.ts');
      return run(command, startApi);
    }
    case 'serving': {
      const { startServing } = await import('./processes/serving.ts');
      return run(command, startServing);
    }
    case 'worker': {
      const { startWorker } = await import('./processes/worker.ts');
      return run(command, startWorker);
    }
    case 'all-in-one': {
      const { startAllInOne } = await import('./processes/all-in-one.ts');
      return run(command, startAllInOne);
    }
    case 'migrate': {
      const { migrate } = await import('./storage/postgres/migrate.ts');
      const applied = await migrate(readConfig().databaseUrl);
      process.stdout.write(
        applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n',
      );
      return 0;
    }
    case 'health': {
      const { runHealth } = await import('./processes/health.ts');
      return runHealth(readConfig(), args[0]);
    }
    case 'admin': {
      const { runAdmin } = await import('./processes/admin.ts');
      return runAdmin(readConfig(), args);
    }
    default:
      process.stderr.write(usage);
      return command === '' || command === '--help' ? 0 : 2;
  }
}

async function run(role: string, start: (runtime: Runtime) => Promise<unknown>): Promise<number> {
  const { runRole } = await import('./processes/run.ts');
  await runRole(readConfig(), role, start);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A setting that is wrong needs no stack trace to be understood.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
