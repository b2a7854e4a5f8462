import type { Request } from '@tastegraph/contract';
import { type Download, linesOf } from '../stack/analysed-project.ts';
import type { Caller } from '../stack/caller.ts';

/** A line of a batch's files. */
export interface Answer {
  readonly user_id: string;
  readonly results: readonly { readonly item: { readonly item_id: string } }[];
  readonly shortfall: string | null;
}

export async function submitBatch(
  caller: Caller,
  project_id: string,
  fields: Partial<Request<'submitRecommendingJob'>> = {},
): Promise<string> {
  const request = { name: 'a batch', project_id, format: 'NDJSON', ...fields } as const;
  return (await caller.call('submitRecommendingJob', request)).job_id;
}

/** The lines of all files, in order. */
export async function answersOf(caller: Caller, { download_urls = [] }: Download): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const download_url of download_urls)
    answers.push(...(await linesOf<Answer>(caller, { download_url })));
  return answers;
}
