import { collect, findModel, findProject } from '../find.ts';
import { metricsTable } from '../metrics-table.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { requireConfirmation } from '../terminal/prompt.ts';
import { table } from '../terminal/table.ts';
import { type AddCommand, projectArgument, projectOption, withClient } from './command.ts';

interface ProjectOptions {
  readonly project?: string;
  readonly yes?: boolean;
}

export const addModels: AddCommand = (program, context) => {
  const models = program
    .command('models')
    .summary('list, show, rename and delete models')
    .description('Manage the models of a project.');
  models
    .command('list', { isDefault: true })
    .description('List the models of a project, newest first. The deployed one is marked with *.')
    .option(...projectOption)
    .action(
      withClient<ProjectOptions>(context, async ({ session: { client, output }, options }) => {
        const { project_id, deployment } = await findProject(client, options.project);
        const found = await collect(client.listAll('listModels', { project_id }));
        output.result({ models: found }, () =>
          found.length === 0
            ? `No models yet. Train one: \`tastegraph train${projectArgument(options.project)} --watch\`.`
            : table(
                ['', 'name', 'algorithm', 'created', 'recall@20 (popularity)', 'id'],
                found.map(({ model_id, name, algorithm_type, created_ts, training: { metrics } }) => [
                  deployment?.generator_model_id === model_id ? '*' : '',
                  name,
                  algorithm_type,
                  formatTimestamp(created_ts),
                  `${metrics.model.recall_at_20.value.toFixed(3)} (${metrics.popularity.recall_at_20.value.toFixed(3)})`,
                  model_id,
                ]),
              ),
        );
      }),
    );
  models
    .command('show')
    .description('Show the metrics of a model and what it was trained on.')
    .argument('[model]', 'ID of the model, or "latest"', 'latest')
    .option(...projectOption)
    .action(
      withClient<ProjectOptions>(context, async ({ session: { client, output }, options, args }) => {
        const model = await findModel(
          client,
          await findProject(client, options.project),
          args[0] ?? 'latest',
        );
        output.result(
          model,
          () =>
            `Model ${model.model_id} (${model.name}), ${model.algorithm_type}, ${formatTimestamp(model.created_ts)}\n${metricsTable(model)}`,
        );
      }),
    );
  models
    .command('rename')
    .description('Rename a model.')
    .argument('<model>', 'ID of the model')
    .argument('<name>', 'new name')
    .option(...projectOption)
    .action(
      withClient<ProjectOptions>(context, async ({ session: { client, output }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const [model_id = '', name = ''] = args;
        const model = await client.updateModel({ project_id, model_id, name });
        output.result(model, () => `Renamed ${model.model_id} to ${model.name}.`);
      }),
    );
  models
    .command('delete')
    .description('Delete a model that is not deployed.')
    .argument('<model>', 'ID of the model')
    .option(...projectOption)
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(
      withClient<ProjectOptions>(context, async ({ session: { client, output, signal }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const model_id = args[0] ?? '';
        await requireConfirmation(options.yes, `Delete model ${model_id}?`, signal);
        await client.deleteModel({ project_id, model_id });
        output.result({ deleted: model_id }, () => `Deleted ${model_id}.`);
      }),
    );
};
