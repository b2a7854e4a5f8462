import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tastegraph } from '@tastegraph/sdk';

interface Asked {
  readonly project_id: string;
  readonly model_id: string;
}

/** Who leans to horror, how everybody leans to comedy, and which groups there are. Answers the seconds of each. */
export async function analyse(client: Tastegraph, asked: Asked, folder: string | undefined) {
  const horror = { attribute: 'genres', value: 'Horror', lower_bound: 0.3 };
  const jobs = {
    'users who lean to horror': await client.submitQueryingJob({
      ...{ ...asked, name: 'horror', query_type: 'user_list', queries: [{ conditions: [horror] }] },
    }),
    'distribution of comedy': await client.submitQueryingJob({
      ...{ ...asked, name: 'comedy', query_type: 'user_distribution' },
      queries: [{ attribute: 'genres', value: 'Comedy' }],
    }),
    'groups of 50 users or more': await client.submitClusteringJob({
      ...{ ...asked, name: 'groups', cluster_type: 'user', parameters: { min_user_num: 50 } },
    }),
  };
  const stages: { stage: string; seconds: number }[] = [];
  for (const [stage, { job_id }] of Object.entries(jobs)) {
    const job = await client.waitForJob({ project_id: asked.project_id, job_id });
    const { job_result: result, started_ts, finished_ts } = job;
    stages.push({ stage, seconds: ((finished_ts ?? 0) - (started_ts ?? 0)) / 1000 });
    if (folder === undefined || !('download_url' in result)) continue;
    await mkdir(folder, { recursive: true });
    for (const url of [result.download_url, ...(result.chart_urls ?? [])]) await save(url, folder);
  }
  return stages;
}

async function save(url: string, folder: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'result';
  await writeFile(join(folder, name), await answer.bytes());
}
