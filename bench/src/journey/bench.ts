import type { Tastegraph } from '@tastegraph/sdk';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import type { Report } from '../report.ts';
import { clientOf, createDatasets, importAll } from '../sdk-client.ts';
import { analyse } from './analyse.ts';
import { readMovieLens } from './movielens.ts';

/**
 * MovieLens 1M through the whole service: imports over HTTP, trains with `{}`, reports the model's metrics, and runs queries
 * and a clustering. The first argument, if given, is a folder for the files of their results.
 */
export async function benchJourney(_isQuick: boolean, [folder]: readonly string[]): Promise<Report> {
  return withEnvironment((setting) => runJourney(setting, folder), 'all-in-one');
}

async function runJourney({ service }: BenchEnvironment, folder: string | undefined): Promise<Report> {
  const records = readMovieLens();
  const client = clientOf(service);
  const datasets = await createDatasets(client, 20);
  const imported = await importAll(client, datasets, records);
  const { project_id } = await client.createProject({
    name: 'movies',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'watch',
    ...datasets,
  });
  const { algorithm_id } = await client.createAlgorithm({
    project_id,
    name: 'g1',
    algorithm_type: 'G1',
    algorithm_parameters: {},
  });
  const startedAt = performance.now();
  const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'first' });
  let stage = '';
  const onProgress = ({ progress }: { progress: { stage: string; message: string | null } | null }) => {
    if (progress && progress.stage !== stage) console.error(`${progress.stage}: ${progress.message ?? ''}`);
    stage = progress?.stage ?? stage;
  };
  await client.waitForJob({ project_id, job_id }, { onProgress });
  const train = (performance.now() - startedAt) / 1000;
  const { models } = await client.listModels({ project_id });
  const [model] = models;
  if (!model) throw new Error('the model is not listed');
  const analysed = await analyse(client, { project_id, model_id: model.model_id }, folder);
  const stages = [
    ...Object.entries(imported).map(([kind, seconds]) => ({ stage: `import ${kind}`, seconds })),
    { stage: 'train', seconds: train },
    ...analysed,
  ];
  return reportOf(model.training, stages);
}

type Training = Awaited<ReturnType<Tastegraph['getModel']>>['training'];

function reportOf(training: Training, stages: { stage: string; seconds: number }[]): Report {
  const { model, popularity } = training.metrics;
  const row = (name: string, { users, recall_at_20, ndcg_at_20, coverage }: typeof model) => ({
    model: name,
    users,
    'Recall@20': shown(recall_at_20),
    'NDCG@20': shown(ndcg_at_20),
    coverage: shown(coverage),
  });
  const steps = Object.entries(training.seconds).map(([name, seconds]) => ({
    stage: `  train: ${name}`,
    seconds,
  }));
  return {
    bench: 'journey',
    tables: [
      { title: 'MovieLens 1M through the service, by stage', rows: [...stages, ...steps] },
      {
        title: "The model's record: the latest fifth of each user's events, all items",
        rows: [row('G1', model), row('popularity', popularity)],
      },
    ],
    goals: [
      {
        text: 'the model is significantly better than popularity (the confidence intervals do not overlap)',
        reached: model.ndcg_at_20.low > popularity.ndcg_at_20.high,
      },
    ],
    figures: { stages, training },
  };
}

const shown = ({ value, low, high }: { value: number; low: number; high: number }) =>
  `${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;
