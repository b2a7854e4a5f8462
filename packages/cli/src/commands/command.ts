import { type Command, InvalidArgumentError } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import { Output, openClient, type Session } from '../session.ts';
import { credentialNames, environment, requireCredentials } from '../settings.ts';

/** What the commands are given by the process they run in, and where they leave their exit code. */
export interface Shell {
  readonly signal: AbortSignal;
  exitCode: ExitCode;
}

/** Adds a command to the program. */
export type AddCommand = (program: Command, shell: Shell) => void;

export interface Call<O> {
  readonly session: Session;
  readonly options: O;
  readonly args: readonly string[];
}

/** Runs a command that talks to the service; what it returns, if anything, is its exit code. */
export function calling<O = object>(
  shell: Shell,
  run: (call: Call<O>) => Promise<ExitCode | undefined> | Promise<void>,
): (...received: unknown[]) => Promise<void> {
  return async (...received) => {
    const { options, args, output } = readCall<O>(received);
    const { signal } = shell;
    const env = environment();
    const client = openClient(requireCredentials(env), credentialNames(env), signal);
    const session = { client, output, signal };
    shell.exitCode = (await run({ session, options, args })) ?? shell.exitCode;
  };
}

/** Commander hands over the arguments, the options, and the command itself. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- commander knows options by name only
export function readCall<O>(received: unknown[]): { options: O; args: string[]; output: Output } {
  const command = received.at(-1) as Command;
  const options = command.optsWithGlobals<O & { json?: boolean }>();
  const args = received
    .slice(0, -2)
    .flat()
    .filter((value) => typeof value === 'string');
  return { options, args, output: new Output(options.json === true) };
}

/** For options that count something. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number over 0.');
  return Number(text);
}

export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** `a=b,c=d`, also given several times. */
export function pairs(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const given = commaList(text).map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0 || at === pair.length - 1)
      throw new InvalidArgumentError('It must be as NAME=VALUE,NAME=VALUE.');
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return new Map([...before, ...given]);
}

export const projectOption = [
  '--project <project>',
  "the project's id or name; not needed when there is one only",
] as const;
