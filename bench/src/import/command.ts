import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { peakBytes } from '../process-memory.ts';
import type { Service } from '../service.ts';

const command = new URL('../../../packages/cli/tastegraph', import.meta.url).pathname;

/** What `tastegraph import --json` prints. */
interface ImportResult {
  readonly rows: number;
  readonly rows_before: number;
  /** Excludes the start of the process, which is negligible in a long import. */
  readonly seconds: number;
}

/** Runs `tastegraph import` in a child process. */
export class ImportCommand {
  readonly #pid: number;
  /** Undefined if the process was killed. */
  readonly result: Promise<ImportResult | undefined>;
  hasExited = false;
  /** The peak memory so far. */
  peakMib = 0;

  constructor({ baseUrl, key }: Service, datasetId: string, file: string) {
    const env = {
      ...process.env,
      TASTEGRAPH_URL: baseUrl,
      TASTEGRAPH_API_KEY: key.api_key,
      TASTEGRAPH_API_SECRET: key.api_secret,
    };
    const args = ['import', 'events', file, '--dataset', datasetId, '--json'];
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#pid = child.pid ?? 0;
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const watch = setInterval(() => void this.#sampleMemory(), 100);
    this.result = once(child, 'close').then(([code, signal]) => {
      clearInterval(watch);
      this.hasExited = true;
      if (signal === 'SIGKILL') return undefined;
      if (code !== 0) throw new Error(`tastegraph import exited with code ${String(code)}`);
      return JSON.parse(printed) as ImportResult;
    });
  }

  kill(): void {
    process.kill(this.#pid, 'SIGKILL');
  }

  /** Keeps the previous value if the system does not report it or the process has exited. */
  async #sampleMemory(): Promise<void> {
    const bytes = await peakBytes(this.#pid).catch(() => 0);
    this.peakMib = Math.max(this.peakMib, Math.round(bytes / 2 ** 20));
  }
}
