import { collect, findModel, findProject } from '../find.ts';
import { metricsTable } from '../metrics-table.ts';
import { confirmed } from '../terminal/confirmed.ts';
import { table, when } from '../terminal/table.ts';
import { type AddCommand, calling, projectOption } from './command.ts';

interface ProjectOptions {
  readonly project?: string;
  readonly yes?: boolean;
}

export const addModels: AddCommand = (program, shell) => {
  const models = program
    .command('models')
    .summary('list, show, rename and delete models')
    .description("A project's models.");
  models
    .command('list', { isDefault: true })
    .description('Lists the models of a project, newest first.')
    .option(...projectOption)
    .action(
      calling<ProjectOptions>(shell, async ({ session: { client, output }, options }) => {
        const { project_id, deployment } = await findProject(client, options.project);
        const found = await collect(client.listAll('listModels', { project_id }));
        output.result({ models: found }, () =>
          found.length === 0
            ? `There are none yet. \`tastegraph train --project ${project_id} --watch\` trains one.`
            : table(
                ['id', 'name', 'created', 'recall@20', 'popularity', 'deployed'],
                found.map(({ model_id, name, created_ts, training: { metrics } }) => [
                  ...[model_id, name, when(created_ts)],
                  ...[
                    metrics.model.recall_at_20.value.toFixed(3),
                    metrics.popularity.recall_at_20.value.toFixed(3),
                  ],
                  deployment?.generator_model_id === model_id ? 'yes' : '',
                ]),
              ),
        );
      }),
    );
  models
    .command('show')
    .description('Shows how good a model is, and what it was trained on.')
    .argument('[model]', 'its id, or latest', 'latest')
    .option(...projectOption)
    .action(
      calling<ProjectOptions>(shell, async ({ session: { client, output }, options, args }) => {
        const model = await findModel(
          client,
          await findProject(client, options.project),
          args[0] ?? 'latest',
        );
        output.result(
          model,
          () => `Model ${model.model_id} (${model.name}), ${when(model.created_ts)}\n${metricsTable(model)}`,
        );
      }),
    );
  models
    .command('rename')
    .description('Renames a model.')
    .argument('<model>', 'its id')
    .argument('<name>', 'its new name')
    .option(...projectOption)
    .action(
      calling<ProjectOptions>(shell, async ({ session: { client, output }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const [model_id = '', name = ''] = args;
        const model = await client.updateModel({ project_id, model_id, name });
        output.result(model, () => `${model.model_id} is now ${model.name}.`);
      }),
    );
  models
    .command('delete')
    .description('Deletes a model that is not deployed.')
    .argument('<model>', 'its id')
    .option(...projectOption)
    .option('-y, --yes', 'do not ask')
    .action(
      calling<ProjectOptions>(shell, async ({ session: { client, output, signal }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const model_id = args[0] ?? '';
        await confirmed(options.yes, `Delete ${model_id}?`, signal);
        await client.deleteModel({ project_id, model_id });
        output.result({ deleted: model_id }, () => `Deleted ${model_id}.`);
      }),
    );
};
