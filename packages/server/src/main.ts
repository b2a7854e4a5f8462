import { ConfigError, readConfig } from './config.ts';
import { runAdmin } from './processes/admin.ts';
import { startAllInOne } from './processes/all-in-one.ts';
import { startApi } from './processes/api.ts';
import { runRole } from './processes/run.ts';
import { startServing } from './processes/serving.ts';
import { startWorker } from './processes/worker.ts';
import { migrate } from './storage/postgres/migrate.ts';

const usage = `Usage: tastegraph-server COMMAND
  api           datasets, records, projects, tokens
  serving       the recommendation call
  worker        jobs and background work
  all-in-one    all of them in one process
  migrate       bring the database's schema up to date
  admin         accounts, keys and plans; "admin --help" lists the commands

Settings come from the environment: DATABASE_URL, REDIS_URL, OBJECTS_URL, HOST, PORT, BASE_URL, SERVING_BASE_URL, CELL, LOG_LEVEL, DATABASE_POOL_SIZE, TRUST_PROXY, METRICS_PORT,
JOB_PLACES, TRAINING_THREADS, JOB_RETRY_SECONDS, JOB_MAX_HOURS, JOB_HEARTBEAT_SECONDS.
`;

async function main([command = '', ...args]: string[]): Promise<number> {
  switch (command) {
    case 'api':
      await runRole(readConfig(), command, startApi);
      return 0;
    case 'serving':
      await runRole(readConfig(), command, startServing);
      return 0;
    case 'worker':
      await runRole(readConfig(), command, startWorker);
      return 0;
    case 'all-in-one':
      await runRole(readConfig(), command, startAllInOne);
      return 0;
    case 'migrate': {
      const applied = await migrate(readConfig().databaseUrl);
      process.stdout.write(
        applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n',
      );
      return 0;
    }
    case 'admin':
      return runAdmin(readConfig(), args);
    default:
      process.stderr.write(usage);
      return command === '' || command === '--help' ? 0 : 2;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A setting that is wrong needs no stack trace to be understood.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
