import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tastegraph } from '@tastegraph/sdk';

interface ModelRef {
  readonly project_id: string;
  readonly model_id: string;
}

/** Runs a user list, a distribution and a clustering. Returns their durations and saves the files to `folder`, if given. */
export async function analyse(client: Tastegraph, model: ModelRef, folder: string | undefined) {
  const horror = { attribute: 'genres', value: 'Horror', lower_bound: 0.3 };
  const jobs = {
    'users with an affinity for horror': await client.submitQueryingJob({
      ...model,
      name: 'horror',
      query_type: 'user_list',
      queries: [{ conditions: [horror] }],
    }),
    'distribution of comedy': await client.submitQueryingJob({
      ...model,
      name: 'comedy',
      query_type: 'user_distribution',
      queries: [{ attribute: 'genres', value: 'Comedy' }],
    }),
    'clusters of at least 50 users': await client.submitClusteringJob({
      ...model,
      name: 'groups',
      cluster_type: 'user',
      parameters: { min_user_num: 50 },
    }),
  };
  const stages: { stage: string; seconds: number }[] = [];
  for (const [stage, { job_id }] of Object.entries(jobs)) {
    const job = await client.waitForJob({ project_id: model.project_id, job_id });
    const { job_result: result, started_ts, finished_ts } = job;
    stages.push({ stage, seconds: ((finished_ts ?? 0) - (started_ts ?? 0)) / 1000 });
    if (folder === undefined || !('download_url' in result)) continue;
    await mkdir(folder, { recursive: true });
    for (const url of [result.download_url, ...(result.chart_urls ?? [])]) await save(url, folder);
  }
  return stages;
}

async function save(url: string, folder: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'result';
  await writeFile(join(folder, name), await response.bytes());
}
