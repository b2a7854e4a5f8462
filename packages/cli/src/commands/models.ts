import { collect, findModel } from '../find.ts';
import { metricsTable } from '../metrics-table.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { type AddCommand, projectArgument, projectOption, yesOption } from './command.ts';

export const addModels: AddCommand = (program) => {
  const models = program
    .command('models')
    .summary('list, show, rename and delete models')
    .description('Manage the models of a project.');
  models
    .command('list', { isDefault: true })
    .description('List the models of a project, newest first. The deployed one is marked with *.')
    .option(...projectOption)
    .withProject(async ({ client, output, options, project, project_id }) => {
      const { deployment } = project;
      const found = await collect(client.listAll('listModels', { project_id }));
      output.list('models', found, {
        none: `No models yet. Train one: \`tastegraph train${projectArgument(options.project)} --watch\`.`,
        heads: ['', 'name', 'algorithm', 'created', 'recall@20 (popularity)', 'id'],
        row: ({ model_id, name, algorithm_type, created_ts, training: { metrics } }) => [
          deployment?.generator_model_id === model_id ? '*' : '',
          name,
          algorithm_type,
          formatTimestamp(created_ts),
          `${metrics.model.recall_at_20.value.toFixed(3)} (${metrics.popularity.recall_at_20.value.toFixed(3)})`,
          model_id,
        ],
      });
    });
  models
    .command('show')
    .description('Show the metrics of a model and what it was trained on.')
    .argument('[model]', 'ID of the model, or "latest"', 'latest')
    .option(...projectOption)
    .withProject(async ({ client, output, project }, idOrLatest) => {
      const model = await findModel(client, project, idOrLatest);
      output.result(
        model,
        () =>
          `Model ${model.model_id} (${model.name}), ${model.algorithm_type}, ${formatTimestamp(model.created_ts)}\n${metricsTable(model)}`,
      );
    });
  models
    .command('rename')
    .description('Rename a model.')
    .argument('<model>', 'ID of the model')
    .argument('<name>', 'new name')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }, model_id, name) => {
      const model = await client.updateModel({ project_id, model_id, name });
      output.result(model, () => `Renamed ${model.model_id} to ${model.name}.`);
    });
  models
    .command('delete')
    .description('Delete a model that is not deployed.')
    .argument('<model>', 'ID of the model')
    .option(...projectOption)
    .option(...yesOption)
    .withProject(async ({ client, output, confirm, project_id }, model_id) => {
      await confirm(`Delete model ${model_id}?`);
      await client.deleteModel({ project_id, model_id });
      output.result({ deleted: model_id }, () => `Deleted ${model_id}.`);
    });
};
