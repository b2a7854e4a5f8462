import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly apiSecret: string;
    /** Signs in to the console, once. Empty for another service than that of `npm run dev`. */
    readonly consoleLink: string;
  }
}

interface ServiceAccess {
  readonly base_url: string;
  readonly api_key: string;
  readonly api_secret: string;
  readonly console_link: string;
}

/**
 * Starts the service with `npm run dev`; the tests know only its URL and credentials. To test another service, set
 * ACCEPTANCE_BASE_URL, ACCEPTANCE_API_KEY and ACCEPTANCE_API_SECRET.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { access, stop } = serviceFromEnv() ?? (await startDev());
  project.provide('baseUrl', access.base_url);
  project.provide('apiKey', access.api_key);
  project.provide('apiSecret', access.api_secret);
  project.provide('consoleLink', access.console_link);
  return stop;
}

function serviceFromEnv(): { access: ServiceAccess; stop: () => Promise<void> } | undefined {
  const { ACCEPTANCE_BASE_URL, ACCEPTANCE_API_KEY = '', ACCEPTANCE_API_SECRET = '' } = process.env;
  if (ACCEPTANCE_BASE_URL === undefined) return undefined;
  const access = {
    base_url: ACCEPTANCE_BASE_URL,
    api_key: ACCEPTANCE_API_KEY,
    api_secret: ACCEPTANCE_API_SECRET,
    console_link: '',
  };
  return { access, stop: async () => undefined };
}

async function startDev(): Promise<{ access: ServiceAccess; stop: () => Promise<void> }> {
  const dev = spawn('npm', ['run', 'dev', '--', '--json', '--ephemeral', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(dev, 'exit');
  const lines = createInterface({ input: dev.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(90_000) }),
    exited.then(() => {
      throw new Error('npm run dev exited before it printed its address; see its output above');
    }),
  ])) as [string];
  return {
    access: JSON.parse(line) as ServiceAccess,
    async stop() {
      dev.kill('SIGINT');
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw new Error(`npm run dev exited with code ${String(code)} after Ctrl-C`);
    },
  };
}
