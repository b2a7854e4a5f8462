import { startPostgres, startRedis } from '../../src/index.ts';

/** Run by guard.test.ts as a child process, which ends in every possible way. */
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
console.log(
  JSON.stringify({
    pids: [postgres.pid, redis.pid],
    files: [postgres.dataDirectory, postgres.logFile, redis.logFile],
  }),
);
if (process.argv[2] === 'throw') throw new Error('on purpose');
if (process.argv[2] === 'wait') setInterval(() => undefined, 1_000);
