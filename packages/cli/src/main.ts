#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Shell } from './commands/command.ts';
import { exitCodes } from './exit-codes.ts';
import { Interrupted, type Problem, problemOf, usageProblem } from './problem.ts';
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

// `… | head` closes the pipe: nobody is left to tell anything.
process.stdout.on('error', () => process.exit(exitCodes.ok));

try {
  await makeProgram(readVersion(), shell).parseAsync(argv, { from: 'user' });
  process.exitCode = shell.exitCode;
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exitCode = exitCodes.ok;
  else tell(error instanceof CommanderError ? usageOf(error) : problemOf(error));
}

/** A prompt, or a source that waits for its next byte, would keep the process alive. */
if (controller.signal.aborted) process.exit();

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
