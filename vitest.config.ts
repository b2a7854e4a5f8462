import { defineConfig } from 'vitest/config';

/** Only what never happens takes longer; the default of a second is too short for a busy machine. */
const poll = { timeout: 20_000 };

/** As in packages/server/tastegraph-server, because trainings share WebAssembly between threads. */
const execArgv = ['--no-memory-protection-keys'];

/** The gate also notes what each file takes. */
const setupFiles = process.env['VITEST_JSON'] ? ['dev/test/note-file.ts'] : [];

/** Kinds of test, by what they need: nothing; real services; a whole running product, from outside or in a browser. */
export default defineConfig({
  test: {
    // The gate counts the tests by this file.
    reporters: process.env['VITEST_JSON']
      ? ['default', ['json', { outputFile: process.env['VITEST_JSON'] }]]
      : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          expect: { poll },
          setupFiles,
          // A busy machine is slow, not wrong.
          testTimeout: 30_000,
          // Files share a process and the modules in it: loading them again for each file takes a third of the CPU time.
          isolate: false,
          experimental: { viteModuleRunner: false },
          execArgv,
          include: ['packages/*/test/**/*.test.ts', 'dev/test/**/*.test.ts'],
          exclude: [
            'packages/server/test/integration/**',
            'packages/console/test/browser/**',
            'dev/test/services/**',
            '**/node_modules/**',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          expect: { poll },
          setupFiles,
          // As for unit: a third of the CPU time. Files that can share a running product too (stack.ts).
          isolate: false,
          execArgv,
          include: ['packages/server/test/integration/**/*.test.ts', 'dev/test/services/**/*.test.ts'],
          globalSetup: ['packages/server/test/integration/stack/setup.ts'],
          // Some start several processes in sequence, each of which takes seconds on a machine with a load of twenty.
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'acceptance',
          expect: { poll },
          setupFiles,
          include: ['acceptance/test/**/*.test.ts'],
          globalSetup: ['acceptance/test/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'console',
          expect: { poll },
          setupFiles,
          include: ['packages/console/test/browser/**/*.test.ts'],
          globalSetup: ['packages/console/test/browser/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // One file after the other: they look at the same account, and two cores have enough to do with one browser and the server.
          fileParallelism: false,
          // They share the browser (shared-browser.ts) and the modules.
          isolate: false,
        },
      },
    ],
  },
});
