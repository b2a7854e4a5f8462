import { startPostgres, startRedis } from '../../src/index.ts';

/** Started by guard.test.ts as a process of its own, to be ended in every way a process can end. */
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
console.log(
  JSON.stringify({
    pids: [postgres.pid, redis.pid],
    files: [postgres.dataDirectory, postgres.logFile, redis.logFile],
  }),
);
if (process.argv[2] === 'throw') throw new Error('on purpose');
if (process.argv[2] === 'wait') setInterval(() => undefined, 1_000);
