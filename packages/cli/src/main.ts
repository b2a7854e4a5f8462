#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { CliError, InterruptedError, toCliError, usageError } from './cli-error.ts';
import type { CommandContext } from './commands/command.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { commandsAsTyped } from './terminal/commands-as-typed.ts';
import { columnsOf, fitText } from './terminal/fit.ts';

/** Without a command, print the help. */
const argv = process.argv.length > 2 ? process.argv.slice(2) : ['--help'];
const controller = new AbortController();
const context: CommandContext = { signal: controller.signal, exitCode: exitCodes.ok };

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    const interrupted = new InterruptedError(name);
    // The first signal aborts cleanly; a second one exits at once.
    if (controller.signal.aborted) process.exit(interrupted.exitCode);
    controller.abort(interrupted);
  });
}

/** The first error on stdout. A reader that closes the pipe, as `… | head` does, is not an error. */
let stdoutError: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') stdoutError ??= error;
});
// An import must not fail because its messages cannot be written.
process.stderr.on('error', () => undefined);

const program = createProgram(readVersion(), context);
try {
  await program.parseAsync(argv, { from: 'user' });
  process.exitCode = context.exitCode;
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exitCode = exitCodes.ok;
  else printError(error instanceof CommanderError ? fromCommanderError(error) : toCliError(error));
}

await flush(process.stdout);
if (stdoutError && process.exitCode === exitCodes.ok)
  printError(
    new CliError(
      `Cannot write the result to stdout: ${stdoutError.message}.`,
      'Check where stdout goes: the disk may be full.',
      exitCodes.failed,
      { code: stdoutError.code ?? 'FAILED' },
    ),
  );
await flush(process.stderr);
// A source that is still being read, or a prompt, would keep the process alive.
process.exit();

/** The listeners above receive errors one tick after the write. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => setImmediate(resolve)));
}

function printError({ message, next, code, exitCode, requestId }: CliError): void {
  process.exitCode = exitCode;
  if (argv.includes('--json')) {
    const error = { code, message, next: commandsAsTyped(next), exit_code: exitCode, request_id: requestId };
    process.stderr.write(`${JSON.stringify({ error })}\n`);
    return;
  }
  const request = requestId === undefined ? '' : `\nrequest: ${requestId}`;
  const text = commandsAsTyped(`error: ${message}\nnext: ${next}${request}`);
  process.stderr.write(`${fitText(text, columnsOf(process.stderr))}\n`);
}

function fromCommanderError({ message, code }: CommanderError): CliError {
  const { command, path } = findCommand();
  const what =
    code === 'commander.help'
      ? `\`${path}\` needs a subcommand: ${subcommands(command)}.`
      : message.replace(/^error: /, '');
  return usageError(what, `Run \`${path} --help\` for usage.`);
}

/** The command that `argv` selects. */
function findCommand(): { command: Command; path: string } {
  let command: Command = program;
  let path = program.name();
  for (const word of argv.filter((one) => !one.startsWith('-'))) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) break;
    command = next;
    path = `${path} ${word}`;
  }
  return { command, path };
}

function subcommands(command: Command): string {
  const names = command.commands.map((one) => `\`${one.name()}\``);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names);
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
