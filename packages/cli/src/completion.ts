import type { Command, Option } from 'commander';

export const completionShells = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof completionShells)[number];

/** The hidden command that the scripts below call, so that they are never out of date. */
export const completeCommand = 'complete';

export const completionScripts: Readonly<Record<CompletionShell, string>> = {
  bash: `_tastegraph() {
  local IFS=$'\\n'
  COMPREPLY=($(tastegraph ${completeCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tastegraph tastegraph`,
  zsh: `#compdef tastegraph
_tastegraph() {
  local -a candidates
  candidates=("\${(@f)$(tastegraph ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=(\${candidates:#})
  if (( \${#candidates} )); then compadd -- $candidates; else _files; fi
}
compdef _tastegraph tastegraph`,
  fish: `function __tastegraph_complete
  set -l words (commandline -opc) (commandline -ct)
  tastegraph ${completeCommand} -- $words[2..-1] 2>/dev/null
end
complete -c tastegraph -a '(__tastegraph_complete)'`,
};

/** Candidates for the last word; empty if only the shell can complete it, for example file names. */
export function complete(program: Command, words: readonly string[]): string[] {
  const partial = words.at(-1) ?? '';
  const { command, pending, argumentIndex } = findPosition(program, words.slice(0, -1));
  return candidates(command, pending, argumentIndex, partial).filter((word) => word.startsWith(partial));
}

interface Position {
  readonly command: Command;
  /** The option whose value is the next word. */
  readonly pending: Option | undefined;
  /** The number of arguments so far. */
  readonly argumentIndex: number;
}

function findPosition(program: Command, words: readonly string[]): Position {
  let command = program;
  let pending: Option | undefined;
  let argumentIndex = 0;
  for (const word of words) {
    if (pending) {
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short);
      pending = option && !option.isBoolean() && option.required ? option : undefined;
      continue;
    }
    const next = visibleCommands(command).find((one) => one.name() === word);
    if (next) command = next;
    else argumentIndex += 1;
  }
  return { command, pending, argumentIndex };
}

function candidates(
  command: Command,
  pending: Option | undefined,
  argumentIndex: number,
  partial: string,
): string[] {
  if (pending) return [...(pending.argChoices ?? [])];
  if (partial.startsWith('-')) return optionsOf(command).flatMap(({ long }) => long ?? []);
  const argument = command.registeredArguments[argumentIndex];
  return [...visibleCommands(command).map((one) => one.name()), ...(argument?.argChoices ?? [])];
}

function visibleCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  const own = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  // `list` is the default subcommand.
  const list = visibleCommands(command).find((one) => one.name() === 'list');
  return list ? [...list.createHelp().visibleOptions(list), ...own] : own;
}
