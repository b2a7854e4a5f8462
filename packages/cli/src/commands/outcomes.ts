import { type Answer, NotFoundError, type Tastegraph } from '@tastegraph/sdk';
import { table } from '../terminal/table.ts';
import { type AddCommand, passed, projectOption } from './command.ts';

type Outcomes = Answer<'getOutcomes'>;
type Measure = Outcomes['totals'][number]['clicked'];

interface Options {
  scenario?: string;
  days?: boolean;
}

export const addOutcomes: AddCommand = (program) => {
  program
    .command('outcomes')
    .summary('show what followed the recommendations')
    .description(
      'Show how many responses of the last 30 days were followed by events, by scenario, model and variant, and visits with and without a recommendation, with 95% intervals.',
    )
    .option(...projectOption)
    .option('--scenario <name>', 'show only this scenario')
    .option('--days', 'show each day')
    .withProject<Options>(async ({ client, output, options: { scenario, days = false }, project_id }) => {
      const outcomes = await client.getOutcomes({ project_id, ...passed({ scenario }) });
      const names = output.json
        ? new Map<string, string>()
        : await readModelNames(client, project_id, outcomes);
      output.result(outcomes, () => show(outcomes, days, names));
    });
};

/** By ID; a model that was deleted has no name. */
async function readModelNames(
  client: Tastegraph,
  project_id: string,
  { totals }: Outcomes,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const model_id of new Set(totals.map((row) => row.model_id))) {
    const model =
      model_id === null ? undefined : await client.getModel({ project_id, model_id }).catch(ifNotFound);
    if (model) names.set(model.model_id, model.name);
  }
  return names;
}

function ifNotFound(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

function show(
  { days, totals, with_recommendation, without_recommendation }: Outcomes,
  daily: boolean,
  names: ReadonlyMap<string, string>,
): string {
  const columns = [
    'scenario',
    'model',
    'variant',
    'responses',
    'clicked',
    'converted',
    'target events',
    'value',
  ];
  const cells = (row: Outcomes['totals'][number]) => [
    row.scenario,
    names.get(row.model_id ?? '') ?? row.model_id,
    row.variant,
    row.answers,
    percent(row.clicked),
    percent(row.converted),
    row.target_events.total,
    row.value.total,
  ];
  const side = (name: string, { total }: Outcomes['with_recommendation']) => [
    name,
    total.visits,
    percent(total.converted),
    perVisit(total.target_events),
    perVisit(total.value),
  ];
  const responses = daily
    ? table(
        ['day', ...columns],
        days.map((row) => [row.day, ...cells(row)]),
      )
    : table(columns, totals.map(cells));
  const visits = table(
    ['', 'visits', 'converted', 'target events per visit', 'value per visit'],
    [
      side('after a recommendation', with_recommendation),
      side('without a recommendation', without_recommendation),
    ],
  );
  return `Responses, and what followed them:\n${responses}\n\nVisits (a user and an item, per day), all scenarios:\n${visits}`;
}

const percent = ({ rate, low, high }: Measure) =>
  rate === null ? '' : `${share(rate)} (${share(low)} to ${share(high)})`;
const perVisit = ({ rate }: Measure) => (rate === null ? '' : rate.toPrecision(3));
const share = (value: number | null) => (value === null ? '?' : `${(100 * value).toFixed(2)}%`);
