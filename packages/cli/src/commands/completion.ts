import { Argument } from 'commander';
import {
  type CompletionShell,
  complete,
  completeCommand,
  completionScripts,
  completionShells,
} from '../completion.ts';
import { Output } from '../session.ts';
import type { AddCommand } from './command.ts';

export const addCompletion: AddCommand = (program) => {
  program
    .command('completion')
    .summary('print a shell completion script')
    .description(
      `Print a completion script for your shell. To install it:

    tastegraph completion bash > ~/.local/share/bash-completion/completions/tastegraph
    tastegraph completion zsh > "\${fpath[1]}/_tastegraph"
    tastegraph completion fish > ~/.config/fish/completions/tastegraph.fish`,
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(completionShells))
    .action((shell: CompletionShell) => {
      new Output(false).result(undefined, () => completionScripts[shell]);
    });
  program
    .command(completeCommand, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      new Output(false).result(undefined, () => complete(program, words).join('\n'));
    });
};
