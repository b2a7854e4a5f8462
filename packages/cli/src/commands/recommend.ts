import type { Tastegraph } from '@tastegraph/sdk';
import { usageError } from '../cli-error.ts';
import { findProject } from '../find.ts';
import { pluralize } from '../terminal/format.ts';
import {
  type AddCommand,
  type Invocation,
  parseCount,
  parseList,
  parsePairs,
  passed,
  projectOption,
  type ServiceCommand,
} from './command.ts';
import { type Answer, showRecommendation } from './show-recommendation.ts';

/** The options of all commands that show recommendations. */
interface ShownOptions {
  readonly project?: string;
  readonly scenario?: string;
  readonly attributes?: string[];
  readonly explain?: boolean;
}

/** The options of commands that return the best of all items. */
interface ListOptions extends ShownOptions {
  readonly filter?: string;
  readonly exclude?: string[];
  readonly limit?: number;
}

export const filterOption = [
  '--filter <expression>',
  `recommend only matching items, for example 'item.price < 20.0 && "Comedy" in item.genres'`,
] as const;

export const excludeTypesOption = [
  '--exclude-types <type,…>',
  'leave out items for which the user has an event of these types (default: the target event type)',
] as const;

const addShownOptions = (command: ServiceCommand) =>
  command
    .option(...projectOption)
    .option('--scenario <name>', 'use the settings of a scenario; the other options override them')
    .option('--attributes <name,…>', 'item attributes to show', parseList)
    .option('--explain', 'show the score of each item and what contributed most to it');

const addListOptions = (command: ServiceCommand) =>
  addShownOptions(command)
    .option(...filterOption)
    .option('--exclude <item,…>', 'items not to recommend', parseList)
    .option('--limit <n>', 'maximum number of items, up to 200 (default: 10)', parseCount);

/** Sends only the options that were passed, because every field that is sent overrides the scenario. */
const shownRequest = ({ scenario, attributes, explain }: ShownOptions) =>
  passed({ scenario, attributes, explain });

const listRequest = ({ filter: filter_query, exclude: exclude_item_ids, limit, ...shown }: ListOptions) => ({
  ...shownRequest(shown),
  ...passed({ filter_query, exclude_item_ids, limit }),
});

type Ask<A> = (client: Tastegraph, project_id: string) => Promise<A>;

/** Asks for items and shows them. `prepare` checks the options before the first call; `explain` may add a sentence. */
const askAndShow =
  <O extends ShownOptions, A extends Answer>(
    prepare: (options: O, ...args: string[]) => Ask<A>,
    explain: (answer: A) => string | undefined = () => undefined,
  ) =>
  async (call: Invocation<O>, ...args: string[]): Promise<void> => {
    const { client, output, options } = call;
    const ask = prepare(options, ...args);
    const project = await findProject(client, options.project);
    const answer = await ask(client, project.project_id);
    await showRecommendation(call, project, answer);
    const sentence = explain(answer);
    if (sentence !== undefined && !output.json) output.info(sentence);
  };

interface RecommendOptions extends ListOptions {
  readonly context?: string[];
  readonly excludeTypes?: string[];
  readonly seen?: boolean;
  readonly model?: string;
}

export const addRecommend: AddCommand = (program) => {
  const command = program
    .command('recommend')
    .summary('recommend items to a user')
    .description(
      'Get recommendations from the deployed model. For a user without events, they are based on the attributes of the user and on popularity.',
    )
    .argument('[user]', 'ID of the user; may be left out with --context');
  addListOptions(command)
    .option(
      '--context <item,…>',
      'items to treat as if the user had just chosen them, most recent last',
      parseList,
    )
    .option(...excludeTypesOption, parseList)
    .option('--model <model>', 'ID of another model of the project, to try it before you deploy it')
    .option('--seen', 'include items for which the user already has a target event')
    .withClient(
      askAndShow((options: RecommendOptions, user_id?: string) => {
        const { context: context_items, excludeTypes: exclude_event_types, seen, model: model_id } = options;
        if (user_id === undefined && !context_items?.length)
          throw usageError('A user or --context is required.', 'Pass a user, --context, or both.');
        const exclude_seen = seen ? false : undefined;
        const own = passed({ user_id, context_items, exclude_event_types, exclude_seen, model_id });
        return (client, project_id) =>
          client.recommendItemsToUser({ project_id, ...listRequest(options), ...own });
      }),
    );
};

interface SimilarOptions extends ListOptions {
  readonly user?: string;
}

export const addSimilar: AddCommand = (program) => {
  const command = program
    .command('similar')
    .summary('recommend items that are similar to an item')
    .description('Get the items that are most similar to an item, or that go best with several.')
    .argument('<item...>', 'ID of the item, or of each item in a basket');
  addListOptions(command)
    .option('--user <user>', 'ID of a user whose taste also counts')
    .withClient(
      askAndShow((options: SimilarOptions, ...item_ids: string[]) => {
        const own = { item_ids, ...passed({ user_id: options.user }) };
        return (client, project_id) =>
          client.recommendItemsToItem({ project_id, ...listRequest(options), ...own });
      }),
    );
};

export const addRank: AddCommand = (program) => {
  const command = program
    .command('rank')
    .summary('rank items for a user')
    .description('Rank items for a user with the deployed model. Shows all of them, with scores.')
    .argument('<user>', 'ID of the user')
    .argument('<item...>', 'IDs of the items, up to 1,000');
  addShownOptions(command).withClient(
    askAndShow(
      (options: ShownOptions, user_id: string, ...item_ids: string[]) =>
        (client, project_id) =>
          client.rankItemsForUser({ project_id, user_id, item_ids, ...shownRequest(options) }),
      ({ unknown_item_ids }) =>
        unknown_item_ids.length === 0
          ? undefined
          : `Unknown to the model or without a record, therefore last: ${unknown_item_ids.join(', ')}`,
    ),
  );
};

interface PopularOptions extends ListOptions {
  readonly hours?: number;
  readonly type?: string;
  readonly where?: ReadonlyMap<string, string>;
  readonly user?: string;
}

export const addPopular: AddCommand = (program) => {
  const command = program
    .command('popular')
    .summary('show what is popular now')
    .description('Get the items with the most events in the last hours or days.');
  addListOptions(command)
    .option(
      '--hours <n>',
      'count the events of the last n hours (default: chosen from your data)',
      parseCount,
    )
    .option('--type <event-type>', 'type of the events to count (default: the target event type)')
    .option('--where <attribute=value>', 'recommend only items with this value of an attribute', parsePairs)
    .option('--user <user>', 'leave out items that this user has seen')
    .withClient(
      askAndShow(
        (options: PopularOptions) => {
          const { hours: window_hours, type: event_type, user: user_id } = options;
          const { where = new Map<string, string>() } = options;
          if (where.size > 1)
            throw usageError('Only one --where is allowed.', 'Use --filter for further conditions.');
          const [[attribute, value] = []] = where;
          const own = passed({ window_hours, event_type, attribute, value, user_id });
          return (client, project_id) =>
            client.recommendPopularItems({ project_id, ...listRequest(options), ...own });
        },
        ({ event_type, window_hours }) =>
          `Counted ${event_type} events of the last ${pluralize(window_hours, 'hour')}.`,
      ),
    );
};
