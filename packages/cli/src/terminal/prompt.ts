import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted } from '../problem.ts';

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

export function ask(question: string): Promise<string> {
  return readLine(question, process.stderr);
}

/** The terminal is in raw mode and nothing is written back, so that nobody sees the secret. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = readLine('', nowhere);
  // Only now: what is typed, or pasted, before the terminal is in raw mode is echoed by the terminal itself.
  process.stderr.write(question);
  try {
    return await answer;
  } finally {
    process.stderr.write('\n');
  }
}

/** Yes unless the answer begins with an n. */
export async function confirm(question: string): Promise<boolean> {
  return !/^\s*n/i.test(await ask(`${question} [Y/n] `));
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function readLine(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise((resolve, reject) => {
    // In raw mode Ctrl-C is a key like others, and Ctrl-D ends the input.
    lines.on('SIGINT', () => reject(new Interrupted('SIGINT')));
    lines.on('close', () => reject(new Interrupted('SIGINT')));
    lines.question(question, resolve);
  }).finally(() => lines.close()) as Promise<string>;
}
