import { test as base } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import type { Caller } from './caller.ts';

/** All roles, started once for all files of a worker that import this. */
export let api: TestApi;
/** A key of an account of its own for each file: files of a worker run one after the other. */
export let caller: Caller;

/**
 * Hooks that need them are `test.beforeAll`. A file with its own settings, or with statements over rows of all accounts,
 * calls `startTestApi` instead.
 */
export const test = base.extend<{
  readonly $file: { fileCaller: Caller };
  readonly $worker: { stack: TestApi };
}>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs from this pattern.
    async ({}, use) => {
      // A busy machine is slow, not wrong.
      api = await startTestApi({ SERVING_DEADLINE_MS: '30000' });
      await use(api);
      // Not closed: a worker ends after the services have been stopped, and its database and folder go with them.
    },
    { scope: 'worker', auto: true },
  ],
  fileCaller: [
    async ({ stack }, use) => {
      caller = await stack.newCaller();
      await use(caller);
    },
    { scope: 'file', auto: true },
  ],
});
