import { parentPort } from 'node:worker_threads';

/** In place of the real one: ends as soon as it is asked for anything. */
parentPort?.on('message', () => process.exit(3));
