import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { peakBytes } from '../process-memory.ts';
import type { Service } from '../service.ts';

const command = new URL('../../../packages/cli/tastegraph', import.meta.url).pathname;

/** What `tastegraph import --json` prints. */
interface Imported {
  readonly rows: number;
  readonly rows_before: number;
  /** Without the start of the process, which a long import does not feel. */
  readonly seconds: number;
}

/** A run of `tastegraph import`, as a process of its own. */
export class ImportCommand {
  readonly #pid: number;
  /** Undefined when it was killed. */
  readonly ended: Promise<Imported | undefined>;
  hasEnded = false;
  /** The most that it took so far. */
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
    const watch = setInterval(() => void this.#look(), 100);
    this.ended = once(child, 'close').then(([code, signal]) => {
      clearInterval(watch);
      this.hasEnded = true;
      if (signal === 'SIGKILL') return undefined;
      if (code !== 0) throw new Error(`tastegraph import ended with ${String(code)}`);
      return JSON.parse(printed) as Imported;
    });
  }

  kill(): void {
    process.kill(this.#pid, 'SIGKILL');
  }

  /** Where the system does not tell, or the process has ended, the figure stays as it is. */
  async #look(): Promise<void> {
    const bytes = await peakBytes(this.#pid).catch(() => 0);
    this.peakMib = Math.max(this.peakMib, Math.round(bytes / 2 ** 20));
  }
}
