import type { Command } from 'commander';
import { exitCodes, exitMeanings } from './exit-codes.ts';
import { environmentVariables } from './program.ts';

/** docs/reference/cli.md: every command, argument and option. */
export function referencePage(program: Command): string {
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${exitMeanings[name as keyof typeof exitCodes]} |`,
  );
  const variables = Object.entries(environmentVariables).map(
    ([name, meaning]) => `| \`${name}\` | ${meaning} |`,
  );
  return `# The command line

Generated from the definitions of the commands; do not edit. For an introduction, see
[packages/cli/README.md](../../packages/cli/README.md).

Every command accepts \`--json\`: it then prints its result as one line of JSON on stdout, and an error as one line on stderr,
\`{"error": {"code", "message", "next", "exit_code", "request_id"}}\`. Progress and messages always go to stderr.
After \`datasets\`, \`project\`, \`jobs\` and \`models\` you can omit \`list\`.

${leafCommands(program).map(describe).join('\n')}
## Environment

These variables take precedence over the credentials that \`tastegraph login\` stored.

| variable | |
|---|---|
${variables.join('\n')}

## Exit codes

| code | |
|---|---|
${codes.join('\n')}
`;
}

/** The commands without subcommands, with their full paths. */
function leafCommands(command: Command, path: readonly string[] = []): { command: Command; path: string }[] {
  const words = [...path, command.name()];
  const help = command.createHelp();
  const subcommands: readonly Command[] = help
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
  return subcommands.length === 0
    ? [{ command, path: words.join(' ') }]
    : subcommands.flatMap((one) => leafCommands(one, words));
}

function describe({ command, path }: { command: Command; path: string }): string {
  const help = command.createHelp();
  const args = command.registeredArguments.map((one) =>
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
  const head = `## \`${[path, ...args].join(' ')}\`\n\n${command.description()}\n`;
  return rows.length === 0 ? head : `${head}\n| | |\n|---|---|\n${rows.join('\n')}\n`;
}
