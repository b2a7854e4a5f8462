import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { type CliError, toCliError, usageError } from './cli-error.ts';
import type { CommandContext } from './commands/command.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { commandsAsTyped } from './terminal/commands-as-typed.ts';
import { columnsOf, fitText } from './terminal/fit.ts';

/** Runs one command line, prints its error if it fails, and returns the exit code. */
export async function runCommand(argv: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  const context: CommandContext = { signal, exitCode: exitCodes.ok };
  const program = createProgram(readVersion(), context);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return printError(toCliError(error), argv);
    return error.exitCode === 0 ? exitCodes.ok : printError(fromCommanderError(error, program, argv), argv);
  }
}

/** Returns its exit code. */
export function printError(error: CliError, argv: readonly string[]): ExitCode {
  const { message, next, code, exitCode, requestId } = error;
  if (argv.includes('--json')) {
    const error = { code, message, next: commandsAsTyped(next), exit_code: exitCode, request_id: requestId };
    process.stderr.write(`${JSON.stringify({ error })}\n`);
    return exitCode;
  }
  const request = requestId === undefined ? '' : `\nrequest: ${requestId}`;
  const text = commandsAsTyped(`error: ${message}\nnext: ${next}${request}`);
  process.stderr.write(`${fitText(text, columnsOf(process.stderr))}\n`);
  return exitCode;
}

function fromCommanderError(
  { message, code }: CommanderError,
  program: Command,
  argv: readonly string[],
): CliError {
  const { command, path } = findCommand(program, argv);
  const what =
    code === 'commander.help'
      ? `\`${path}\` needs a subcommand: ${subcommands(command)}.`
      : message.replace(/^error: /, '');
  return usageError(what, `Run \`${path} --help\` for usage.`);
}

/** The command that `argv` selects. */
function findCommand(program: Command, argv: readonly string[]): { command: Command; path: string } {
  let command = program;
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
