import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly apiSecret: string;
  }
}

interface Place {
  readonly base_url: string;
  readonly api_key: string;
  readonly api_secret: string;
}

/**
 * The product as a developer starts it, with nothing but its address and credentials known. To try a service that
 * runs elsewhere, set ACCEPTANCE_BASE_URL, ACCEPTANCE_API_KEY and ACCEPTANCE_API_SECRET.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { place, stop } = givenPlace() ?? (await startDev());
  project.provide('baseUrl', place.base_url);
  project.provide('apiKey', place.api_key);
  project.provide('apiSecret', place.api_secret);
  return stop;
}

function givenPlace(): { place: Place; stop: () => Promise<void> } | undefined {
  const { ACCEPTANCE_BASE_URL, ACCEPTANCE_API_KEY = '', ACCEPTANCE_API_SECRET = '' } = process.env;
  if (ACCEPTANCE_BASE_URL === undefined) return undefined;
  const place = {
    base_url: ACCEPTANCE_BASE_URL,
    api_key: ACCEPTANCE_API_KEY,
    api_secret: ACCEPTANCE_API_SECRET,
  };
  return { place, stop: async () => undefined };
}

async function startDev(): Promise<{ place: Place; stop: () => Promise<void> }> {
  const dev = spawn('npm', ['run', 'dev', '--', '--json', '--ephemeral', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(dev, 'exit');
  const lines = createInterface({ input: dev.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(90_000) }),
    exited.then(() => {
      throw new Error('npm run dev ended before it printed its address; its words are above');
    }),
  ])) as [string];
  return {
    place: JSON.parse(line) as Place,
    async stop() {
      dev.kill('SIGINT');
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw new Error(`npm run dev ended with ${String(code)} after Ctrl-C`);
    },
  };
}
