import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { abortable } from '../abortable.ts';
import { InterruptedError, usageError } from '../cli-error.ts';

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

export function prompt(question: string): Promise<string> {
  return readLine(question, process.stderr);
}

/** Prompts in raw mode without echo. */
export async function promptSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = readLine('', nowhere);
  // Print the prompt only now: before raw mode is on, the terminal itself would echo the input.
  process.stderr.write(question);
  try {
    return await answer;
  } finally {
    process.stderr.write('\n');
  }
}

/** Throws unless the user confirms a delete. The default answer is no, as a delete cannot be undone. */
export async function requireConfirmation(
  yes: boolean | undefined,
  question: string,
  signal: AbortSignal,
): Promise<void> {
  if (yes) return;
  if (!isInteractive())
    throw usageError(
      'Cannot ask for confirmation: stdin is not a terminal.',
      'Pass --yes to continue without a prompt.',
    );
  if (!/^\s*y/i.test(await abortable(prompt(`${question} [y/N] `), signal)))
    throw usageError('Nothing was deleted.', 'Answer y to continue, or pass --yes.');
}

/** The default answer is yes. */
export async function confirm(question: string): Promise<boolean> {
  return !/^\s*n/i.test(await prompt(`${question} [Y/n] `));
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function readLine(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise((resolve, reject) => {
    // In raw mode, Ctrl-C sends no signal, and Ctrl-D closes the input.
    lines.on('SIGINT', () => reject(new InterruptedError('SIGINT')));
    lines.on('close', () => reject(new InterruptedError('SIGINT')));
    lines.question(question, resolve);
  }).finally(() => lines.close()) as Promise<string>;
}
