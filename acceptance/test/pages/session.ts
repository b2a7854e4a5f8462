import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mismatch } from './expected.ts';

const blockLimitMs = 120_000;

/** Used by a page's program: runs one shell for the whole page, and records what each block prints. */
export class Session {
  readonly #shell = spawn('bash', ['--noprofile', '--norc'], { stdio: 'pipe' });
  readonly #log = console.log;
  #printed: unknown;

  constructor() {
    this.#shell.stdin.write('set -euo pipefail\n');
    console.log = (...values: unknown[]) => {
      this.#printed = values.at(-1);
      this.#log(...values);
    };
  }

  begin(): void {
    this.#printed = undefined;
  }

  /** Runs a block in the page's shell, so later blocks see its variables. */
  async bash(line: number, text: string): Promise<void> {
    const output = await runIn(this.#shell, text).catch((error: unknown) => {
      throw new Error(`The block at line ${line} ${String(error)}`);
    });
    this.#log(output);
    this.#printed = parse(output);
  }

  expectPrinted(line: number, expected: unknown): void {
    // Convert dates and undefined as JSON does, since the page shows JSON.
    const printed: unknown =
      this.#printed === undefined ? undefined : JSON.parse(JSON.stringify(this.#printed));
    const difference = mismatch(printed, expected);
    if (difference === undefined) return;
    throw new Error(
      `The page does not match at line ${line}: ${difference}\nOutput: ${JSON.stringify(printed, undefined, 1)}`,
    );
  }

  end(): void {
    this.#shell.stdin.end();
  }
}

/** Returns the output of the block. Rejects if it fails. */
function runIn(shell: ChildProcessWithoutNullStreams, text: string): Promise<string> {
  const mark = randomUUID();
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    const onOut = (chunk: Buffer) => {
      stdout += chunk.toString();
      if (!stdout.includes(mark)) return;
      stop();
      resolve(stdout.slice(0, stdout.indexOf(mark)).trimEnd());
    };
    const onError = (chunk: Buffer) => {
      stderr += chunk.toString();
    };
    const fail = (how: string) => {
      stop();
      reject(new Error(`${how}\n${stdout}\n${stderr}`));
    };
    const onClose = (code: number | null) => fail(`failed with ${String(code)}:`);
    const timer = setTimeout(() => fail(`did not finish within ${blockLimitMs / 1000} s:`), blockLimitMs);
    const stop = () => {
      clearTimeout(timer);
      shell.stdout.off('data', onOut);
      shell.stderr.off('data', onError);
      shell.off('close', onClose);
    };
    shell.stdout.on('data', onOut);
    shell.stderr.on('data', onError);
    shell.on('close', onClose);
    shell.stdin.write(`${text}\nprintf '\\n%s\\n' ${mark}\n`);
  });
}

function parse(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}
