import { afterAll, test as base, beforeAll, expect } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import type { Caller } from './caller.ts';

/** All roles, started once for all files of a worker that import `test`, unless a file has its own product. */
export let api: TestApi;
/** A key of an account of its own for each file: files of a worker run one after the other. */
export let caller: Caller;

/** Hooks that need the shared product are `test.beforeAll`. */
export const test = base.extend<{
  readonly $file: { fileCaller: Caller };
  readonly $worker: { stack: TestApi };
}>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs from this pattern.
    async ({}, use) => {
      // A busy machine is slow, not wrong.
      await use(await startTestApi({ SERVING_DEADLINE_MS: '30000' }));
      // Not closed: a worker ends after the services have been stopped, and its database and folder go with them.
    },
    { scope: 'worker', auto: true },
  ],
  fileCaller: [
    async ({ stack }, use) => {
      // The file before may have had its own.
      api = stack;
      caller = await api.newCaller();
      await use(caller);
    },
    { scope: 'file', auto: true },
  ],
});

/**
 * `api` and `caller` of the tests that follow are a product of their own: for a file with its own settings, or with
 * statements over rows of all accounts. Such files use Vitest's `test` and hooks.
 */
export function ownProduct(...settings: Parameters<typeof startTestApi>): void {
  let own: TestApi | undefined;
  beforeAll(async () => {
    own = await startTestApi(...settings);
    api = own;
    caller = await api.newCaller();
  });
  afterAll(() => own?.[Symbol.asyncDispose]());
}

/** An answer that refuses these fields. */
export const invalid = (...paths: string[]) => ({
  status: 400,
  body: { code: 'INVALID_REQUEST', errors: paths.map((path) => ({ path })) },
});

/** The receipt of an erasure, once it is done. */
export async function untilErased(by: Caller, erasure_id: string) {
  const status = async () => (await by.call('getErasure', { erasure_id })).status;
  await expect.poll(status, { timeout: 60_000 }).toBe('DONE');
  return by.call('getErasure', { erasure_id });
}

/** An answer with this error. */
export const problem = (status: number, code: string) => ({ status, body: { code } });

/**
 * What `open` returns, opened before the tests that follow and disposed after them: for tests, hooks and functions, not
 * while the file loads. `hooks` is `test` where `open` needs the shared product.
 */
export function perFile<T extends object>(
  open: () => Promise<T>,
  hooks: Pick<typeof base, 'beforeAll' | 'afterAll'> = base,
): T {
  let opened: (T & Partial<AsyncDisposable>) | undefined;
  hooks.beforeAll(async () => {
    opened = await open();
  });
  hooks.afterAll(() => opened?.[Symbol.asyncDispose]?.());
  const found = () => {
    if (!opened) throw new Error('It is opened before the tests, after the file has loaded.');
    return opened;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(found(), name);
      // Private members need the object itself.
      return typeof value === 'function' ? (value.bind(opened) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(found(), name, value),
    // For spreads and comparisons.
    ownKeys: () => Reflect.ownKeys(found()),
    getOwnPropertyDescriptor: (_, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(found(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}
