import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';

export const command = new URL('../../packages/cli/tastegraph', import.meta.url).pathname;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Is given the process as soon as it runs. */
  readonly during?: (child: ChildProcess) => void | Promise<void>;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder of its own for files and configuration, and the command as a person there gives it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'tastegraph-cli-'));

  constructor() {
    folders.push(this.folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.runProgram(command, args, options);
  }

  /** What it prints with --json; it must end with `code`. */
  async json<T>(args: readonly string[], code = 0): Promise<T> {
    const ended = await this.run([...args, '--json']);
    expect(ended, ended.stderr).toMatchObject({ code });
    return JSON.parse(ended.stdout) as T;
  }

  async logIn(): Promise<void> {
    const args = ['login', '--url', inject('baseUrl'), '--key', inject('apiKey')];
    const ended = await this.run(args, { input: `${inject('apiSecret')}\n` });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
  }

  /** Nothing that it prints ever holds the secret. */
  async runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { PATH, HOME, XDG_CONFIG_HOME: this.folder, ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    // A command that ended early has closed its stdin; its exit code tells why.
    child.stdin.on('error', () => undefined);
    if (!options.during || options.input !== undefined) child.stdin.end(options.input ?? '');
    await options.during?.(child);
    const [code, signal] = await closed;
    expect(stdout + stderr).not.toContain(inject('apiSecret'));
    return { code, signal, stdout, stderr };
  }
}
