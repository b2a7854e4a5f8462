import type { Answer } from '@tastegraph/sdk';
import { findProject } from '../find.ts';
import { table } from '../terminal/table.ts';
import { type AddCommand, projectOption, withClient } from './command.ts';

type Outcomes = Answer<'getOutcomes'>;
type Measure = Outcomes['totals'][number]['clicked'];

interface Options {
  project?: string;
  scenario?: string;
  days?: boolean;
}

export const addOutcomes: AddCommand = (program, context) => {
  program
    .command('outcomes')
    .summary('show what followed the recommendations')
    .description(
      'Show how many responses of the last 30 days were followed by events, by scenario, model and variant, with 95% intervals.',
    )
    .option(...projectOption)
    .option('--scenario <name>', 'show only this scenario')
    .option('--days', 'show each day')
    .action(
      withClient<Options>(context, async ({ session: { client, output }, options }) => {
        const { scenario } = options;
        const { project_id } = await findProject(client, options.project);
        const outcomes = await client.getOutcomes({
          project_id,
          ...(scenario !== undefined && { scenario }),
        });
        output.result(outcomes, () => show(outcomes, options.days === true));
      }),
    );
};

function show({ days, totals, without_recommendation }: Outcomes, daily: boolean): string {
  const columns = [
    'scenario',
    'model',
    'variant',
    'answers',
    'clicked',
    'converted',
    'target events',
    'value',
  ];
  const cells = (row: Outcomes['totals'][number]) => [
    row.scenario,
    row.model_id,
    row.variant,
    row.answers,
    percent(row.clicked),
    percent(row.converted),
    row.target_events.total,
    row.value.total,
  ];
  const { total } = without_recommendation;
  return [
    daily
      ? table(
          ['day', ...columns],
          days.map((row) => [row.day, ...cells(row)]),
        )
      : table(columns, totals.map(cells)),
    table(
      ['without a recommendation: visits', 'converted', 'target events', 'value'],
      [[total.visits, percent(total.converted), total.target_events.total, total.value.total]],
    ),
  ].join('\n\n');
}

const percent = ({ rate, low, high }: Measure) =>
  rate === null ? '' : `${share(rate)} (${share(low)} to ${share(high)})`;
const share = (value: number | null) => (value === null ? '?' : `${(100 * value).toFixed(2)}%`);
