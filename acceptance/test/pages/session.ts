import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mismatch } from './expected.ts';

const blockLimitMs = 120_000;

/** Executes each line of its input, a JSON list of line number, code and mark, in one namespace, and prints the mark after it. */
const pythonLoop = `
import json, sys
namespace = {"__name__": "__main__"}
for request in sys.stdin:
    line, code, mark = json.loads(request)
    exec(compile("\\n" * (line - 1) + code, "page", "exec"), namespace)
    print("\\n" + mark, flush=True)
`;

/** Used by a page's program: runs one shell and one Python for the whole page, and records what each block prints. */
export class Session {
  readonly #shell = spawn('bash', ['--noprofile', '--norc'], { stdio: 'pipe' });
  #python: ChildProcessWithoutNullStreams | undefined;
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
    this.#record(line, await runIn(this.#shell, (mark) => `${text}\nprintf '\\n%s\\n' ${mark}\n`));
  }

  /** Runs a block in the page's Python, which TASTEGRAPH_PYTHON names. */
  async python(line: number, text: string): Promise<void> {
    this.#python ??= spawn(process.env['TASTEGRAPH_PYTHON'] ?? 'python3', ['-c', pythonLoop], {
      stdio: 'pipe',
    });
    this.#record(line, await runIn(this.#python, (mark) => `${JSON.stringify([line, text, mark])}\n`));
  }

  #record(line: number, { output, failure }: BlockOutcome): void {
    if (failure !== undefined) throw new Error(`The block at line ${line} ${failure}`);
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
    this.#python?.stdin.end();
  }
}

interface BlockOutcome {
  readonly output: string;
  /** How the block failed, if it did. */
  readonly failure?: string;
}

/** Runs a block in a process that prints the mark after it. `request` is what to write to the process. */
function runIn(
  shell: ChildProcessWithoutNullStreams,
  request: (mark: string) => string,
): Promise<BlockOutcome> {
  const mark = randomUUID();
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    const onOut = (chunk: Buffer) => {
      stdout += chunk.toString();
      if (!stdout.includes(mark)) return;
      stop();
      resolve({ output: stdout.slice(0, stdout.indexOf(mark)).trimEnd() });
    };
    const onError = (chunk: Buffer) => {
      stderr += chunk.toString();
    };
    const fail = (how: string) => {
      stop();
      resolve({ output: stdout, failure: `${how}\n${stdout}\n${stderr}` });
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
    shell.stdin.write(request(mark));
  });
}

function parse(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}
