import { type AffinityReader, countUsersWithout, distributeUsers } from '@tastegraph/algorithms';
import { type Table, textOf } from '../../kernel/files/table.ts';
import { writeTable } from '../../kernel/files/write-table.ts';
import { formatCount } from '../../kernel/lib/format.ts';
import { type AnalysisContext, loadCharts } from '../analyse.ts';
import type { Distributions } from '../protocol.ts';
import { describeUnknown, numbersOfValue } from './numbers-of-value.ts';

/** Writes all distributions with their charts to one file, each chart to its own, and the table, if there is one. Returns the job's message. */
export async function distribute(
  affinity: AffinityReader,
  { queries, table_format, defaultBins }: Distributions,
  { snapshot, record, report, write }: AnalysisContext,
): Promise<string | null> {
  const resolved = queries.map(({ attribute, value, bins = defaultBins }) => ({
    attribute,
    value,
    bins,
    found: numbersOfValue(snapshot.values, attribute, value),
  }));
  const distributions = resolved.map(({ attribute, value, bins, found }, index) => {
    report('answering', (0.5 * index) / resolved.length, `query ${index + 1} of ${resolved.length}`);
    if ('message' in found) {
      // No item had the value, so no user has an affinity for it: the distribution is empty and has a message.
      const edges = Array.from({ length: bins + 1 }, (_, edge) => edge / bins);
      const counts = edges.slice(1).map(() => 0);
      return { attribute, value, bins, edges, counts, user_count: 0, message: found.message };
    }
    const { edges, counts } = distributeUsers(affinity, found.numbers, bins);
    return { attribute, value, bins, edges, counts, user_count: snapshot.events.users };
  });
  const { distributionChart, renderSvg } = await loadCharts();
  const charts = distributions.map(({ user_count: userCount, ...distribution }, index) => {
    report('drawing', 0.5 + (0.5 * index) / resolved.length, `chart ${index + 1} of ${resolved.length}`);
    return renderSvg(distributionChart({ ...distribution, userCount, modelName: record.name }));
  });
  const withCharts = distributions.map((one, index) => ({ ...one, chart: charts[index] }));
  await write([Buffer.from(`${JSON.stringify({ distributions: withCharts })}\n`)]);
  for (const chart of charts) await write([Buffer.from(chart)]);
  if (table_format !== undefined)
    await write(
      writeTable(
        table_format,
        binsTable,
        distributions.map((one, query) => ({ query, ...one })),
      ),
    );
  const known = resolved.filter(({ found }) => 'numbers' in found).map(({ attribute }) => attribute);
  const parts = [
    describeUnknown(resolved.map(({ found }) => ('message' in found ? found.message : undefined))),
    messageOf([...new Set(known)], (attribute) => countUsersWithout(snapshot, attribute)),
  ].filter((part) => typeof part === 'string');
  return parts.join(' ') || null;
}

interface DistributionOfQuery {
  readonly query: number;
  readonly attribute: string;
  readonly value: string | number | boolean;
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** One row per bin. */
const binsTable: Table<DistributionOfQuery> = {
  columns: [
    { name: 'query', type: 'integer', isRequired: true },
    { name: 'attribute', type: 'text', isRequired: true },
    { name: 'value', type: 'text', isRequired: true },
    { name: 'low', type: 'number', isRequired: true },
    { name: 'high', type: 'number', isRequired: true },
    { name: 'users', type: 'integer', isRequired: true },
  ],
  rowsOf: ({ query, attribute, value, edges, counts }) =>
    counts.map((users, bin) => [
      query,
      attribute,
      textOf(value),
      edges[bin] ?? null,
      edges[bin + 1] ?? null,
      users,
    ]),
};

/** Explains why shares may not add up: not every item has a value of the attribute. */
function messageOf(
  attributes: readonly string[],
  countWithout: (attribute: string) => number,
): string | null {
  const parts = attributes.flatMap((attribute) => {
    const count = countWithout(attribute);
    if (count === 0) return [];
    return [
      `${formatCount(count, 'user')} ${count === 1 ? 'has' : 'have'} a target event with an item that has no ${JSON.stringify(attribute)}`,
    ];
  });
  return parts.length === 0 ? null : `${parts.join('; ')}.`;
}
