import type { Response, Tastegraph } from '@tastegraph/sdk';
import type { Project } from '../find.ts';
import { readTitles, type Titles } from '../items/read-titles.ts';
import type { Output, Session } from '../session.ts';
import { cell, table } from '../terminal/table.ts';

type Result = Response<'recommendItemsToUser'>['results'][number];

export interface Answer {
  readonly attributes: readonly string[];
  readonly results: readonly Result[];
  readonly message?: string | null;
  readonly shortfall?: string | null;
  readonly degraded?: readonly DegradedPart[];
}

type DegradedPart = NonNullable<Response<'recommendItemsToUser'>['degraded']>[number];

/** What `degraded` lists, in words. */
const degradations: Readonly<Record<DegradedPart, string>> = {
  history: 'the events of the user',
  ranker: 'the ranker model',
  trend: 'the number of events per item',
  variant: "the model of the experiment's variant",
  experiment: 'the experiment',
};

/** Prints the items, and how the response differs from what was requested. */
export async function showRecommendation(
  { client, output }: Pick<Session, 'client' | 'output'>,
  project: Project,
  answer: Answer,
): Promise<void> {
  const titles = output.json ? undefined : await readTitles(client, project, shownItems(answer));
  output.result(answer, () => formatResults(answer, project.title_attribute, titles ?? ((id) => id)));
  if (output.json) return;
  await explainMissing(output, client, project, answer);
  if (answer.message) output.info(answer.message);
  if (answer.shortfall) output.info(answer.shortfall);
  for (const what of answer.degraded ?? [])
    output.info(`Degraded response: it does not take into account ${degradations[what]}.`);
}

/** Enough to know the attributes that most items have. */
const sampledItems = 20;

/** An attribute that no item has is probably misspelled. */
async function explainMissing(
  output: Output,
  client: Tastegraph,
  { item_dataset_id }: Project,
  { attributes, results }: Answer,
): Promise<void> {
  const missing = attributes.filter((name) => results.every(({ item }) => item[name] === null));
  if (results.length === 0 || missing.length === 0) return;
  const { items } = await client.listDatasetItems({ item_dataset_id, page_size: sampledItems });
  const known = new Set(items.flatMap((item) => Object.keys(item.attributes)));
  const unknown = missing.filter((name) => !known.has(name));
  if (unknown.length > 0)
    output.info(`No item has the attribute ${unknown.join(', ')}. Items have ${[...known].join(', ')}.`);
}

/** The recommended items, and those in the reasons that are shown. */
const shownItems = ({ results }: Answer): string[] =>
  results.flatMap((result) => [
    result.item.item_id,
    ...shownReasons(result).flatMap(({ kind, id }) => (kind === 'item' && id !== null ? [id] : [])),
  ]);

function formatResults(
  { results, attributes: requested }: Answer,
  titleAttribute: string | null,
  titles: Titles,
): string {
  const hasTitles = typeof titleAttribute === 'string';
  const attributes = requested.filter((name) => name !== titleAttribute);
  const hasReasons = results.some(({ reasons }) => reasons !== undefined);
  const hasScores = results.some(({ score }) => score !== undefined);
  const heads = [
    '#',
    ...(hasTitles ? [titleAttribute] : []),
    'item_id',
    ...attributes,
    ...(hasScores ? ['score'] : []),
    ...(hasReasons ? ['because of'] : []),
  ];
  const rows = results.map((result, index) => [
    index + 1,
    ...(hasTitles ? [titles(result.item.item_id)] : []),
    result.item.item_id,
    ...attributes.map((name) => cell(result.item[name])),
    ...(hasScores ? [result.score] : []),
    ...(hasReasons ? [formatReasons(result, titles)] : []),
  ]);
  return results.length === 0 ? 'No items.' : table(heads, rows, { longest: maxReasonsLength });
}

/** Only the largest contributions fit on a line. */
const maxReasons = 3;
const maxReasonsLength = 160;

const shownReasons = ({ reasons = [] }: Result) =>
  reasons.toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)).slice(0, maxReasons);

function formatReasons(result: Result, titles: Titles): string {
  return shownReasons(result)
    .map(
      ({ kind, id, contribution }) =>
        `${kind === 'item' && id !== null ? titles(id) : (id ?? kind)} ${contribution >= 0 ? '+' : ''}${contribution.toPrecision(2)}`,
    )
    .join(', ');
}
