import type { Command } from 'commander';
import { exitCodes, exitMeanings } from './exit-codes.ts';
import { environmentVariables } from './program.ts';

/** docs/reference/cli.md: every command, argument and option as they are defined. */
export function referencePage(program: Command): string {
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${exitMeanings[name as keyof typeof exitCodes]} |`,
  );
  const variables = Object.entries(environmentVariables).map(
    ([name, meaning]) => `| \`${name}\` | ${meaning} |`,
  );
  return `# The command line

Generated from the definitions of the commands; do not edit. How to go from files to recommendations is in
[packages/cli/README.md](../../packages/cli/README.md).

Every command takes \`--json\`: its result is then one line of JSON on stdout, and an error one line on stderr,
\`{"error": {"code", "message", "next", "exit_code", "request_id"}}\`. Progress and advice always go to stderr.
\`list\` may be left out after \`datasets\`, \`project\`, \`jobs\` and \`models\`.

${leaves(program).map(describe).join('\n')}
## Environment

What is set here comes before what \`tastegraph login\` stored.

| variable | |
|---|---|
${variables.join('\n')}

## Exit codes

| code | |
|---|---|
${codes.join('\n')}
`;
}

/** The commands that do something, with the words that lead to them. */
function leaves(command: Command, path: readonly string[] = []): { command: Command; path: string }[] {
  const words = [...path, command.name()];
  const help = command.createHelp();
  const below: readonly Command[] = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  return below.length === 0
    ? [{ command, path: words.join(' ') }]
    : below.flatMap((one) => leaves(one, words));
}

function describe({ command, path }: { command: Command; path: string }): string {
  const help = command.createHelp();
  const taken = command.registeredArguments.map((one) =>
    one.required ? `<${one.name()}>` : `[${one.name()}]`,
  );
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const rows = [
    ...command.registeredArguments.map((one) => [one.name(), help.argumentDescription(one)]),
    ...options.map((one) => [one.flags, help.optionDescription(one)]),
  ].map(
    ([name = '', meaning = '']) =>
      `| \`${name.replaceAll('|', '\\|')}\` | ${meaning.replaceAll('|', '\\|')} |`,
  );
  const head = `## \`${[path, ...taken].join(' ')}\`\n\n${command.description()}\n`;
  return rows.length === 0 ? head : `${head}\n| | |\n|---|---|\n${rows.join('\n')}\n`;
}
