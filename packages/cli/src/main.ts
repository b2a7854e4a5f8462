#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Shell } from './commands/command.ts';
import { exitCodes } from './exit-codes.ts';
import { Interrupted, Problem, problemOf, usageProblem } from './problem.ts';
import { makeProgram } from './program.ts';

/** Whoever gives no command wants to know which there are. */
const argv = process.argv.length > 2 ? process.argv.slice(2) : ['--help'];
const controller = new AbortController();
const shell: Shell = { signal: controller.signal, exitCode: exitCodes.ok };

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    const interrupted = new Interrupted(name);
    // The first asks for a tidy end; who asks again does not want to wait for it.
    if (controller.signal.aborted) process.exit(interrupted.exitCode);
    controller.abort(interrupted);
  });
}

/** Why the result is not where it was to go. `… | head` closes the pipe when it has enough, which is no failure. */
let unwritten: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') unwritten ??= error;
});
// What is done is worth more than words about it that nobody can hear.
process.stderr.on('error', () => undefined);

try {
  await makeProgram(readVersion(), shell).parseAsync(argv, { from: 'user' });
  process.exitCode = shell.exitCode;
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exitCode = exitCodes.ok;
  else tell(error instanceof CommanderError ? usageOf(error) : problemOf(error));
}

await written(process.stdout);
if (unwritten && process.exitCode === exitCodes.ok)
  tell(
    new Problem(
      `The result could not be written: ${unwritten.message}.`,
      'Check where the output goes: its disk may be full.',
      exitCodes.failed,
      { code: unwritten.code ?? 'FAILED' },
    ),
  );
await written(process.stderr);
// A source that waits for its next byte, or a prompt, would keep the process alive.
process.exit();

/** Errors are told to the listeners above in the turn after the write. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => setImmediate(resolve)));
}

function tell({ message, next, code, exitCode, requestId }: Problem): void {
  process.exitCode = exitCode;
  if (argv.includes('--json')) {
    const error = { code, message, next, exit_code: exitCode, request_id: requestId };
    process.stderr.write(`${JSON.stringify({ error })}\n`);
    return;
  }
  const place = requestId === undefined ? '' : ` Request id: ${requestId}.`;
  process.stderr.write(`error: ${message}${place}\nnext: ${next}\n`);
}

function usageOf({ message, code }: CommanderError): Problem {
  const words =
    code === 'commander.unknownCommand' ? [] : argv.filter((word) => /^[a-z]+$/.test(word)).slice(0, 1);
  const what = code === 'commander.help' ? 'It needs a further word.' : message.replace(/^error: /, '');
  return usageProblem(what, `\`${['tastegraph', ...words, '--help'].join(' ')}\` shows what it takes.`);
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
