import { Command } from 'commander';
import { addCluster } from './commands/cluster.ts';
import type { Shell } from './commands/command.ts';
import { addCompletion } from './commands/completion.ts';
import { addDatasets } from './commands/datasets.ts';
import { addDeploy } from './commands/deploy.ts';
import { addImport } from './commands/import.ts';
import { addJobs } from './commands/jobs.ts';
import { addLogin } from './commands/login.ts';
import { addModels } from './commands/models.ts';
import { addProject } from './commands/project.ts';
import { addQuery } from './commands/query.ts';
import { addRecommend } from './commands/recommend.ts';
import { addTrain } from './commands/train.ts';
import { exitCodes, exitMeanings } from './exit-codes.ts';

/** In the order in which somebody who begins needs them. */
const commands = [
  ...[addLogin, addDatasets, addImport, addProject, addTrain, addDeploy, addRecommend],
  ...[addQuery, addCluster, addJobs, addModels, addCompletion],
];

export const environmentVariables = {
  TASTEGRAPH_URL: 'where the service is',
  TASTEGRAPH_API_KEY: 'the API key',
  TASTEGRAPH_API_SECRET: 'its secret',
  XDG_CONFIG_HOME: 'the folder that holds tastegraph/config.json (default: ~/.config)',
} as const;

/** Never calls process.exit: what ends it is thrown. */
export function makeProgram(version: string, shell: Shell): Command {
  const program = new Command('tastegraph')
    .description('The command line of Tastegraph: from files to recommendations.')
    .version(version)
    .option('--json', 'print the result as one line of JSON')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', () => helpEnd())
    .exitOverride()
    // A problem of usage is told as all others are.
    .configureOutput({ writeErr: () => undefined });
  for (const add of commands) add(program, shell);
  return program;
}

function helpEnd(): string {
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `  ${String(code).padEnd(4)} ${exitMeanings[name as keyof typeof exitCodes]}`,
  );
  const variables = Object.entries(environmentVariables).map(
    ([name, meaning]) => `  ${name.padEnd(22)} ${meaning}`,
  );
  return `
Environment (before what \`tastegraph login\` stored):
${variables.join('\n')}

Exit codes:
${codes.join('\n')}`;
}
