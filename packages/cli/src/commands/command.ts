import { parseDate } from '@tastegraph/files';
import { type Command, InvalidArgumentError } from 'commander';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { findProject, type Project } from '../find.ts';
import { Output, openClient, type Session } from '../session.ts';
import { credentialNames, environment, requireCredentials } from '../settings.ts';
import { shellQuote } from '../terminal/format.ts';
import { requireConfirmation } from '../terminal/prompt.ts';

/** The abort signal that all commands share, and the exit code that they set. */
export interface CommandContext {
  readonly signal: AbortSignal;
  exitCode: ExitCode;
}

/** Registers a command with the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

export interface Invocation<O> extends Session {
  readonly options: O;
  readonly args: readonly string[];
  /** Throws unless the user confirms, or has passed `yesOption`. */
  readonly confirm: (question: string) => Promise<void>;
}

/** Wraps the action of a command that calls the service. `run` may return an exit code. */
export function withClient<O = object>(
  context: CommandContext,
  run: (call: Invocation<O>) => Promise<ExitCode | undefined> | Promise<void>,
): (...received: unknown[]) => Promise<void> {
  return async (...received) => {
    const { options, args, output } = parseInvocation<O & { yes?: boolean }>(received);
    const { signal } = context;
    const env = environment();
    const client = openClient(requireCredentials(env), credentialNames(env), signal);
    const confirm = (question: string) => requireConfirmation(options.yes, question, signal);
    const call = { client, output, signal, options, args, confirm };
    context.exitCode = (await run(call)) ?? context.exitCode;
  };
}

/** Wraps the action of a command with `projectOption`, which finds the project first. */
export const withProject = <O = object>(
  context: CommandContext,
  run: (call: Invocation<O> & ProjectCall) => Promise<ExitCode | undefined> | Promise<void>,
) =>
  withClient<O & ProjectOption>(context, async (call) => {
    const project = await findProject(call.client, call.options.project);
    return (await run({ ...call, project, project_id: project.project_id })) ?? exitCodes.ok;
  });

interface ProjectCall {
  readonly project: Project;
  readonly project_id: string;
}

/** Commander passes the arguments, then the options, then the command. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- commander does not type options
export function parseInvocation<O>(received: unknown[]): { options: O; args: string[]; output: Output } {
  const command = received.at(-1) as Command;
  const options = command.optsWithGlobals<O & { json?: boolean }>();
  const args = received
    .slice(0, -2)
    .flat()
    .filter((value) => typeof value === 'string');
  return { options, args, output: new Output(options.json === true) };
}

/** The fields of a request whose options were passed. */
export function passed<F extends object>(fields: F): { [K in keyof F]?: Exclude<F[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof F]?: Exclude<F[K], undefined> };
}

/** Parser for options that take a count. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number greater than 0.');
  return Number(text);
}

/** Parser for options that take a time. Returns milliseconds. */
export function parseTime(text: string): number {
  const ts = /^\d+$/.test(text) ? Number(text) : parseDate(text);
  if (ts === undefined)
    throw new InvalidArgumentError('Expected a time such as 2026-01-31T08:00, or milliseconds since 1970.');
  return ts;
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Parser for `a=b,c=d`. The option can be repeated. */
export function parsePairs(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const pairs = parseList(text).map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0 || at === pair.length - 1) throw new InvalidArgumentError('Expected NAME=VALUE,NAME=VALUE.');
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return new Map([...before, ...pairs]);
}

/** For a command that is suggested: the project as the user named it, or nothing if the account has only one. */
export const projectArgument = (project: string | undefined): string =>
  project === undefined ? '' : ` --project ${shellQuote(project)}`;

export const yesOption = ['-y, --yes', 'skip the confirmation prompt'] as const;

export interface ProjectOption {
  readonly project?: string;
}

export const projectOption = [
  '--project <project>',
  'ID or name of the project; optional if the account has only one',
] as const;
