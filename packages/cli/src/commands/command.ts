import { parseDate } from '@tastegraph/files';
import { Command, InvalidArgumentError } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
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
export type AddCommand = (program: ServiceCommand) => void;

interface LocalInvocation<O> extends Omit<Session, 'client'> {
  readonly options: O;
  /** Throws unless the user confirms, or has passed `yesOption`. */
  readonly confirm: (question: string) => Promise<void>;
}

export interface Invocation<O = object> extends LocalInvocation<O>, Session {}

interface ProjectInvocation<O> extends Invocation<O & ProjectOption> {
  readonly project: Project;
  readonly project_id: string;
}

/** What a command does, with its arguments. It may return an exit code. */
type Run<Call, Arguments extends string[]> = (
  call: Call,
  ...args: Arguments
) => Promise<ExitCode | undefined> | Promise<void>;

/** A command of this program, and its subcommands. One of the methods sets what it does. */
export class ServiceCommand extends Command {
  readonly #context: CommandContext;

  constructor(context: CommandContext, name?: string) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): ServiceCommand {
    return new ServiceCommand(this.#context, name);
  }

  /** For a command that needs no API key. */
  withoutClient<O = object>(run: Run<LocalInvocation<O>, string[]>): this {
    return this.action(async () => {
      const { signal } = this.#context;
      const options = this.optsWithGlobals<O & { json?: boolean; yes?: boolean }>();
      const confirm = (question: string) => requireConfirmation(options.yes, question, signal);
      const call = { output: new Output(options.json === true), signal, options, confirm };
      const args = (this.processedArgs as unknown[]).flat().filter((value) => typeof value === 'string');
      this.#context.exitCode = (await run(call, ...args)) ?? this.#context.exitCode;
    });
  }

  withClient<O = object, Arguments extends string[] = string[]>(run: Run<Invocation<O>, Arguments>): this {
    return this.withoutClient<O>((call, ...args) => {
      const env = environment();
      const client = openClient(requireCredentials(env), credentialNames(env), call.signal);
      return run({ ...call, client }, ...(args as Arguments));
    });
  }

  /** For a command with `projectOption`: finds the project first. */
  withProject<O = object>(run: Run<ProjectInvocation<O>, string[]>): this {
    return this.withClient<O & ProjectOption>(async (call, ...args) => {
      const project = await findProject(call.client, call.options.project);
      return (await run({ ...call, project, project_id: project.project_id }, ...args)) ?? undefined;
    });
  }
}

/** The fields of a request whose options were passed. */
export function passed<F extends object>(fields: F): { [K in keyof F]?: Exclude<F[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof F]?: Exclude<F[K], undefined> };
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
