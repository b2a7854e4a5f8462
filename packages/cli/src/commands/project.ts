import { collect, findDataset, findProject } from '../find.ts';
import { confirmed } from '../terminal/confirmed.ts';
import { details, table, when } from '../terminal/table.ts';
import { type AddCommand, calling } from './command.ts';

interface CreateOptions {
  readonly users: string;
  readonly items: string;
  readonly events: string;
  readonly target: string;
}

export const addProject: AddCommand = (program, shell) => {
  const project = program
    .command('project')
    .summary('create, list, show and delete projects')
    .description(
      'A project joins a dataset of users, one of items and one of events, and says which events to predict.',
    );
  project
    .command('list', { isDefault: true })
    .description('Lists the projects, newest first.')
    .action(
      calling(shell, async ({ session: { client, output } }) => {
        const projects = await collect(client.listAll('listProjects'));
        output.result({ projects }, () =>
          projects.length === 0
            ? 'There are none yet. `tastegraph project create --help` shows how to make one.'
            : table(
                ['id', 'name', 'target', 'deployed model', 'qps'],
                projects.map(({ project_id, name, target_event_type, deployment }) => [
                  ...[project_id, name, target_event_type],
                  ...[deployment?.generator_model_id, deployment?.qps],
                ]),
              ),
        );
      }),
    );
  project
    .command('create')
    .description('Creates a project. Datasets may be named by id or name.')
    .argument('<name>', 'its name')
    .requiredOption('--users <dataset>', 'the dataset of users')
    .requiredOption('--items <dataset>', 'the dataset of items')
    .requiredOption('--events <dataset>', 'the dataset of events')
    .requiredOption('--target <type>', 'the type of event that is to be predicted')
    .action(
      calling<CreateOptions>(shell, async ({ session: { client, output }, options, args }) => {
        const [users, items, events] = await Promise.all([
          findDataset(client, 'users', options.users),
          findDataset(client, 'items', options.items),
          findDataset(client, 'events', options.events),
        ]);
        const created = await client.createProject({
          ...{
            name: args[0] ?? '',
            project_type: 'RECOMMEND_ITEMS_TO_USER',
            target_event_type: options.target,
          },
          ...{
            user_dataset_id: users.dataset_id,
            item_dataset_id: items.dataset_id,
            event_dataset_id: events.dataset_id,
          },
        });
        output.result(created, () => created.project_id);
        if (!output.json) output.say(`Next: \`tastegraph train --project ${created.project_id} --watch\`.`);
      }),
    );
  project
    .command('show')
    .description('Shows a project.')
    .argument('[project]', 'its id or name')
    .action(
      calling(shell, async ({ session: { client, output }, args }) => {
        const found = await findProject(client, args[0]);
        const { deployment, ...rest } = found;
        const deployed =
          deployment &&
          `${deployment.generator_model_id}, ${deployment.qps} qps, since ${when(deployment.deployed_ts)}`;
        output.result(found, () => details([...Object.entries(rest), ['deployment', deployed ?? 'none']]));
      }),
    );
  project
    .command('delete')
    .description('Deletes a project with its algorithms, jobs, models and deployment. Its datasets stay.')
    .argument('<project>', 'its id or name')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ yes?: boolean }>(shell, async ({ session: { client, output, signal }, options, args }) => {
        const { project_id, name } = await findProject(client, args[0]);
        await confirmed(
          options.yes,
          `Delete ${project_id} (${name}) with its models and deployment?`,
          signal,
        );
        await client.deleteProject({ project_id });
        output.result({ deleted: project_id }, () => `Deleted ${project_id}.`);
      }),
    );
};
