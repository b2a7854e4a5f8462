import { usageError } from '../cli-error.ts';
import { collect, findDataset, findProject } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { detailsTable } from '../terminal/table.ts';
import { type AddCommand, parseList, passed, projectArgument, yesOption } from './command.ts';

interface CreateOptions {
  readonly users: string;
  readonly items: string;
  readonly events: string;
  readonly target: string;
  readonly negativeTypes?: string[];
  readonly titleAttribute?: string;
  readonly pictureAttribute?: string;
}

interface UpdateOptions {
  readonly name?: string;
  readonly negativeTypes?: string[];
  readonly titleAttribute?: string;
  readonly pictureAttribute?: string;
}

/** Sends only what was passed. An empty name removes the attribute. */
const shownAttributes = ({
  titleAttribute: title,
  pictureAttribute: picture,
}: Pick<UpdateOptions, 'titleAttribute' | 'pictureAttribute'>) => ({
  ...(title !== undefined && { title_attribute: title || null }),
  ...(picture !== undefined && { picture_attribute: picture || null }),
});

export const addProject: AddCommand = (program) => {
  const project = program
    .command('project')
    .summary('create, list, show, change and delete projects')
    .description(
      'Manage projects. A project combines a user, an item and an event dataset and sets the event type to predict.',
    );
  project
    .command('list', { isDefault: true })
    .description('List projects, newest first.')
    .withClient(async ({ client, output }) => {
      const projects = await collect(client.listAll('listProjects'));
      output.list('projects', projects, {
        none: 'No projects yet. To create one, see `tastegraph project create --help`.',
        heads: ['name', 'target', 'deployed', 'qps', 'id'],
        row: ({ project_id, name, target_event_type, deployment }) => [
          name,
          target_event_type,
          deployment && formatTimestamp(deployment.deployed_ts),
          deployment?.qps,
          project_id,
        ],
      });
    });
  addCreate(project);
  project
    .command('show')
    .description('Show a project.')
    .argument('[project]', 'ID or name of the project; optional if the account has only one')
    .withClient(async ({ client, output }, idOrName?: string) => {
      const found = await findProject(client, idOrName);
      const { deployment, ...rest } = found;
      const deployed =
        deployment &&
        `${deployment.generator_model_id}, ${deployment.qps} qps, since ${formatTimestamp(deployment.deployed_ts)}`;
      output.result(found, () => detailsTable([...Object.entries(rest), ['deployment', deployed ?? 'none']]));
    });
  addUpdate(project);
  project
    .command('default')
    .description('Set the default project. It serves recommendation requests without a project ID.')
    .argument('<project>', 'ID or name of the project')
    .withClient(async ({ client, output }, idOrName) => {
      const { project_id } = await findProject(client, idOrName);
      const changed = await client.updateProject({ project_id, default: true });
      output.result(changed, () => `${project_id} is now the default project.`);
    });
  project
    .command('delete')
    .description('Delete a project with its algorithms, jobs, models and deployment. Its datasets are kept.')
    .argument('<project>', 'ID or name of the project')
    .option(...yesOption)
    .withClient(async ({ client, output, confirm }, idOrName) => {
      const { project_id, name } = await findProject(client, idOrName);
      await confirm(`Delete project ${project_id} (${name}) with its models and deployment?`);
      await client.deleteProject({ project_id });
      output.result({ deleted: project_id }, () => `Deleted ${project_id}.`);
    });
};

const addCreate: AddCommand = (project) => {
  project
    .command('create')
    .description('Create a project.')
    .argument('<name>', 'name of the project')
    .requiredOption('--users <dataset>', 'ID or name of the user dataset')
    .requiredOption('--items <dataset>', 'ID or name of the item dataset')
    .requiredOption('--events <dataset>', 'ID or name of the event dataset')
    .requiredOption('--target <type>', 'event type to predict')
    .option(
      '--negative-types <type,…>',
      'event types by which users reject an item, for example dislike,return',
      parseList,
    )
    .option('--title-attribute <name>', 'item attribute that tables show as the title of an item')
    .option('--picture-attribute <name>', 'item attribute with the address of a picture, for the console')
    .withClient<CreateOptions>(async ({ client, output, options }, name) => {
      const [users, items, events] = await Promise.all([
        findDataset(client, 'users', options.users),
        findDataset(client, 'items', options.items),
        findDataset(client, 'events', options.events),
      ]);
      const created = await client.createProject({
        name,
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        target_event_type: options.target,
        user_dataset_id: users.dataset_id,
        item_dataset_id: items.dataset_id,
        event_dataset_id: events.dataset_id,
        ...passed({ negative_event_types: options.negativeTypes }),
        ...shownAttributes(options),
      });
      output.result(created, () => created.project_id);
      if (!output.json) output.info(`Next: \`tastegraph train${projectArgument(created.name)} --watch\`.`);
    });
};

const addUpdate: AddCommand = (project) => {
  project
    .command('update')
    .description(
      'Rename a project, change the event types by which users reject an item (the next training uses them), or say which attributes are the title and picture of an item.',
    )
    .argument('<project>', 'ID or name of the project')
    .option('--name <name>', 'new name')
    .option(
      '--negative-types <type,…>',
      "event types by which users reject an item, instead of the current ones; '' for none",
      parseList,
    )
    .option(
      '--title-attribute <name>',
      "item attribute that tables show as the title of an item; '' for none",
    )
    .option(
      '--picture-attribute <name>',
      "item attribute with the address of a picture, for the console; '' for none",
    )
    .withClient<UpdateOptions>(async ({ client, output, options }, idOrName) => {
      const { name, negativeTypes } = options;
      const shown = shownAttributes(options);
      if (name === undefined && !negativeTypes && Object.keys(shown).length === 0)
        throw usageError(
          'There is nothing to change.',
          'Pass --name, --negative-types, --title-attribute or --picture-attribute.',
        );
      const { project_id } = await findProject(client, idOrName);
      const changed = await client.updateProject({
        project_id,
        ...passed({ name, negative_event_types: negativeTypes }),
        ...shown,
      });
      output.result(changed, () => `Updated project ${project_id}.`);
    });
};
