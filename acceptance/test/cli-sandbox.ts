import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';

export const command = new URL('../../packages/cli/tastegraph', import.meta.url).pathname;

export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the process once it is started. */
  readonly during?: (child: ChildProcess) => void | Promise<void>;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Runs the command in a temporary folder that also has its configuration. */
export class CliSandbox {
  readonly folder = mkdtempSync(join(tmpdir(), 'tastegraph-cli-'));

  constructor() {
    folders.push(this.folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return this.runProgram(command, args, options);
  }

  /** Runs the command with --json and returns its result. Expects the exit code `code`. */
  async json<T>(args: readonly string[], code = 0): Promise<T> {
    const result = await this.run([...args, '--json']);
    expect(result, result.stderr).toMatchObject({ code });
    return JSON.parse(result.stdout) as T;
  }

  async logIn(): Promise<void> {
    const args = ['login', '--url', inject('baseUrl'), '--key', inject('apiKey')];
    const result = await this.run(args, { input: `${inject('apiSecret')}\n` });
    expect(result, result.stderr).toMatchObject({ code: 0 });
  }

  /** Also checks that the output does not contain the secret. */
  async runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { PATH, HOME, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: this.folder, ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    // A command that exits early closes its stdin; its exit code says why.
    child.stdin.on('error', () => undefined);
    if (!options.during || options.input !== undefined) child.stdin.end(options.input ?? '');
    await options.during?.(child);
    const [code, signal] = await closed;
    expect(stdout + stderr).not.toContain(inject('apiSecret'));
    return { code, signal, stdout, stderr };
  }
}
