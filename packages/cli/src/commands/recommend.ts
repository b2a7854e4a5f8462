import type { Response } from '@tastegraph/sdk';
import { findProject } from '../find.ts';
import { table } from '../terminal/table.ts';
import { type AddCommand, calling, commaList, projectOption, wholeNumber } from './command.ts';

interface RecommendOptions {
  readonly project?: string;
  readonly attributes?: string[];
  readonly filter?: string;
  readonly limit: number;
  readonly explain?: boolean;
  readonly seen?: boolean;
}

type Recommendation = Response<'recommendItemsToUser'>;
type Result = Recommendation['results'][number];

export const addRecommend: AddCommand = (program, shell) => {
  program
    .command('recommend')
    .summary('recommend items to a user')
    .description('Asks the deployed model for items. A user without events gets what is liked by most.')
    .argument('<user>', "the user's id")
    .option(...projectOption)
    .option('--attributes <name,…>', 'item attributes to show', commaList)
    .option(
      '--filter <expression>',
      `only items for which this holds, as 'item.price < 20.0 && "Comedy" in item.genres'`,
    )
    .option('--limit <n>', 'how many', wholeNumber, 10)
    .option('--explain', 'show scores, and what they are made of')
    .option('--seen', 'do not leave out what the user knows already')
    .action(
      calling<RecommendOptions>(shell, async ({ session: { client, output }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const { attributes = [], filter = null, limit, explain = false, seen = false } = options;
        const answer = await client.recommendItemsToUser({
          ...{ user_id: args[0] ?? '', project_id, attributes, filter_query: filter, limit, explain },
          exclude_seen: !seen,
        });
        output.result(answer, () => describe(answer, attributes, explain));
        if (output.json) return;
        if (answer.shortfall) output.say(answer.shortfall);
        for (const what of answer.degraded ?? []) output.say(`Done without: ${what}`);
      }),
    );
};

function describe({ results }: Recommendation, attributes: readonly string[], explain: boolean): string {
  const heads = ['#', 'item_id', ...attributes, ...(explain ? ['score', 'because of'] : [])];
  const rows = results.map((result, place) => [
    ...[place + 1, result.item.item_id, ...attributes.map((name) => result.item[name])],
    ...(explain ? [result.score, reasons(result)] : []),
  ]);
  return results.length === 0 ? 'No items.' : table(heads, rows);
}

/** The largest parts: they tell most, and all of them would not fit. */
const shownReasons = 3;

function reasons({ reasons = [] }: Result): string {
  return reasons
    .toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
    .slice(0, shownReasons)
    .map(
      ({ kind, id, contribution }) =>
        `${id ?? kind} ${contribution >= 0 ? '+' : ''}${contribution.toPrecision(2)}`,
    )
    .join(', ');
}
