import { countUsersWithout, distributeUsers, type Usage } from '@tastegraph/algorithms';
import { inWords } from '../../lib/wording.ts';
import type { Analysing } from '../analysis/analyse.ts';
import { numberOfValue } from './number-of-value.ts';
import type { DistributionQueries } from './protocol.ts';

/** All distributions in one file, then a chart for each. Answers the job's message. */
export async function distribute(
  usage: Usage,
  queries: DistributionQueries,
  { snapshot, record, report, write }: Analysing,
): Promise<string | null> {
  const asked = queries.map(({ attribute, value, bins }) => ({
    ...{ attribute, value, bins },
    number: numberOfValue(snapshot.values, attribute, value),
  }));
  const user_count = snapshot.events.users;
  const distributions = asked.map(({ attribute, value, bins, number }, place) => {
    report('answering', (0.5 * place) / asked.length, `query ${place + 1} of ${asked.length}`);
    const { edges, counts } = distributeUsers(usage, number, bins);
    return { attribute, value, bins, edges, counts, user_count };
  });
  await write([Buffer.from(`${JSON.stringify({ distributions })}\n`)]);
  // Only now: what draws takes longer to load than a query to answer.
  const [{ distributionChart }, { renderSvg }] = await Promise.all([
    import('@tastegraph/charts'),
    import('@tastegraph/charts/svg'),
  ]);
  for (const [place, { user_count: userCount, ...distribution }] of distributions.entries()) {
    report('drawing', 0.5 + (0.5 * place) / asked.length, `chart ${place + 1} of ${asked.length}`);
    const chart = distributionChart({ ...distribution, userCount, modelName: record.name });
    await write([Buffer.from(renderSvg(chart))]);
  }
  return messageOf([...new Set(queries.map(({ attribute }) => attribute))], (attribute) =>
    countUsersWithout(snapshot, attribute),
  );
}

/** What of the shares somebody might wonder about: not every item has a value of the attribute. */
function messageOf(
  attributes: readonly string[],
  countWithout: (attribute: string) => number,
): string | null {
  const parts = attributes.flatMap((attribute) => {
    const count = countWithout(attribute);
    if (count === 0) return [];
    return [
      `${inWords(count, 'user')} ${count === 1 ? 'has' : 'have'} a target event with an item that has no ${JSON.stringify(attribute)}`,
    ];
  });
  return parts.length === 0 ? null : `${parts.join('; ')}.`;
}
