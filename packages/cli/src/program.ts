import { addCluster } from './commands/cluster.ts';
import { type CommandContext, ServiceCommand } from './commands/command.ts';
import { addConsume } from './commands/consume.ts';
import { addDatasets } from './commands/datasets.ts';
import { addDeploy } from './commands/deploy.ts';
import { addErase } from './commands/erase.ts';
import { addExperiment } from './commands/experiment.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addJobs } from './commands/jobs.ts';
import { addLogin } from './commands/login.ts';
import { addModels } from './commands/models.ts';
import { addOutcomes } from './commands/outcomes.ts';
import { addProject } from './commands/project.ts';
import { addQuery } from './commands/query.ts';
import { addPopular, addRank, addRecommend, addSimilar } from './commands/recommend.ts';
import { addRecommendAll } from './commands/recommend-all.ts';
import { addRecords } from './commands/records.ts';
import { addScenarios } from './commands/scenarios.ts';
import { addSchedule } from './commands/schedule.ts';
import { addTrain } from './commands/train.ts';
import { addWebhook } from './commands/webhook.ts';
import { exitCodes, exitMeanings } from './exit-codes.ts';
import { columnsOf, wrapIndented } from './terminal/fit.ts';

/** In the order in which a new user needs them. */
const commands = [
  addLogin,
  addDatasets,
  addImport,
  addConsume,
  addRecords,
  addExport,
  addProject,
  addTrain,
  addDeploy,
  addRecommend,
  addSimilar,
  addRank,
  addPopular,
  addRecommendAll,
  addScenarios,
  addOutcomes,
  addExperiment,
  addQuery,
  addCluster,
  addJobs,
  addModels,
  addSchedule,
  addWebhook,
  addErase,
];

export const environmentVariables = {
  TASTEGRAPH_URL: 'URL of the service',
  TASTEGRAPH_API_KEY: 'API key',
  TASTEGRAPH_API_SECRET: 'API secret',
  TASTEGRAPH_WRITE_KEY: 'write key, for `consume` only',
  KAFKA_USERNAME: 'user name for `consume --sasl`',
  KAFKA_PASSWORD: 'password for `consume --sasl`',
  XDG_CONFIG_HOME: 'folder of tastegraph/config.json (default: ~/.config)',
} as const;

/** Never calls process.exit: throws instead. */
export function createProgram(version: string, context: CommandContext): ServiceCommand {
  const program = new ServiceCommand(context, 'tastegraph')
    .description('Import data, train models and get recommendations from a Tastegraph service.')
    .version(version)
    .option('--json', 'print the result, or the error, as one line of JSON')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', () => helpFooter())
    .exitOverride()
    // main.ts prints usage errors in the same way as all others.
    .configureOutput({ writeErr: () => undefined });
  for (const add of commands) add(program);
  return program;
}

function helpFooter(): string {
  const columns = columnsOf(process.stdout);
  const codes = Object.entries(exitCodes).map(
    ([name, code]) =>
      `  ${String(code).padEnd(4)} ${wrapIndented(exitMeanings[name as keyof typeof exitCodes], columns, 7)}`,
  );
  const variables = Object.entries(environmentVariables).map(
    ([name, meaning]) => `  ${name.padEnd(22)} ${meaning}`,
  );
  return `
Environment variables (take precedence over \`tastegraph login\`):
${variables.join('\n')}

Exit codes:
${codes.join('\n')}`;
}
