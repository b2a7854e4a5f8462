import { readFile } from 'node:fs/promises';
import type { Request } from '@tastegraph/sdk';
import { usageError } from '../cli-error.ts';
import { collect, findProject } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { fieldsTable } from '../terminal/table.ts';
import {
  type AddCommand,
  type ProjectOption,
  parseCount,
  parseJson,
  passed,
  projectOption,
  yesOption,
} from './command.ts';

type Question = Request<'createScenario'>['question'];
type Settings = Omit<Request<'updateScenario'>, 'project_id' | 'name'>;

export const addScenarios: AddCommand = (program) => {
  const scenarios = program
    .command('scenarios')
    .summary('create, list, show, change and delete scenarios')
    .description(
      'Manage scenarios: named settings for recommendation calls, such as rules and a filter. Each change creates a new version, and takes effect with the next call.',
    );
  scenarios
    .command('list', { isDefault: true })
    .description('List the scenarios of a project, newest first.')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }) => {
      const found = await collect(client.listAll('listScenarios', { project_id }));
      output.list('scenarios', found, {
        none: 'No scenarios yet. To create one, see `tastegraph scenarios create --help`.',
        heads: ['name', 'question', 'version', 'updated'],
        row: ({ name, question, version, updated_ts }) => [
          name,
          question,
          version,
          formatTimestamp(updated_ts),
        ],
      });
    });
  scenarios
    .command('show')
    .description('Show a scenario.')
    .argument('<name>', 'name of the scenario')
    .option(...projectOption)
    .option('--version-number <n>', 'show an earlier version (the last 20 are kept)', parseCount)
    .withProject<{ versionNumber?: number }>(async ({ client, output, options, project_id }, name) => {
      const version = passed({ version: options.versionNumber });
      const found = await client.getScenario({ project_id, name, ...version });
      output.result(found, () => fieldsTable(found));
    });
  scenarios
    .command('create')
    .description('Create a scenario from a JSON file with fields of the recommendation call.')
    .argument('<name>', 'name of the scenario')
    .argument(
      '<file>',
      'JSON file, for example {"limit": 5, "boosts": [{"if": "item.price < 10.0", "factor": 2}]}',
    )
    .option(
      '--question <question>',
      'recommendation call that the scenario is for: ITEMS_TO_USER, ITEMS_TO_ITEM, RANKING or POPULAR',
      'ITEMS_TO_USER',
    )
    .option(...projectOption)
    .withClient<ProjectOption & { question: Question }>(async ({ client, output, options }, name, file) => {
      const settings = await readSettings(file);
      const { project_id } = await findProject(client, options.project);
      const { question } = options;
      const created = await client.createScenario({
        question,
        ...settings,
        project_id,
        name,
      });
      output.result(created, () => `Created scenario ${created.name}, version ${created.version}.`);
    });
  scenarios
    .command('update')
    .description('Replace the settings of a scenario with those in a JSON file, as a new version.')
    .argument('<name>', 'name of the scenario')
    .argument('<file>', 'JSON file with fields of the recommendation call')
    .option(...projectOption)
    .withClient<ProjectOption>(async ({ client, output, options }, name, file) => {
      const settings = await readSettings(file);
      const { project_id } = await findProject(client, options.project);
      const updated = await client.updateScenario({ ...settings, project_id, name });
      output.result(updated, () => `Updated scenario ${updated.name} to version ${updated.version}.`);
    });
  scenarios
    .command('delete')
    .description('Delete a scenario and its versions. Calls with its name then fail.')
    .argument('<name>', 'name of the scenario')
    .option(...projectOption)
    .option(...yesOption)
    .withProject(async ({ client, output, confirm, project_id }, name) => {
      await confirm(`Delete scenario ${name} of project ${project_id}?`);
      await client.deleteScenario({ project_id, name });
      output.result({ deleted: name }, () => `Deleted scenario ${name}.`);
    });
};

/** The service checks the fields. */
async function readSettings(path: string): Promise<Settings> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw usageError(
      `Cannot read ${path}: ${error instanceof Error ? error.message : 'unknown error'}.`,
      example,
    );
  });
  const settings = parseJson(text);
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw usageError(`${path} is not a JSON object.`, example);
  return settings;
}

const example = 'Pass a JSON file with fields of the recommendation call, for example {"limit": 5}.';
