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
    .summary('print a script that completes commands in a shell')
    .description(
      `bash: tastegraph completion bash > ~/.local/share/bash-completion/completions/tastegraph
zsh:  tastegraph completion zsh > "\${fpath[1]}/_tastegraph"
fish: tastegraph completion fish > ~/.config/fish/completions/tastegraph.fish`,
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(completionShells))
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
