import { usageError } from '../cli-error.ts';
import { findProject } from '../find.ts';
import { type AddCommand, parseCount, parsePairs, withClient } from './command.ts';
import { addListOptions, type ListOptions, listRequest, showRecommendation } from './show-recommendation.ts';

interface PopularOptions extends ListOptions {
  readonly hours?: number;
  readonly type?: string;
  readonly where?: ReadonlyMap<string, string>;
  readonly user?: string;
}

export const addPopular: AddCommand = (program, context) => {
  const command = program
    .command('popular')
    .summary('show what is popular now')
    .description('Get the items with the most events in the last hours.');
  addListOptions(command)
    .option('--hours <n>', 'hours to count (default: chosen on your data)', parseCount)
    .option('--type <event-type>', 'type of the events to count (default: the target event type)')
    .option('--where <attribute=value>', 'only items with this value of an attribute', parsePairs)
    .option('--user <user>', 'leave out what this user has seen')
    .action(
      withClient<PopularOptions>(context, async ({ session, options }) => {
        const { hours, type, where = new Map<string, string>(), user } = options;
        if (where.size > 1)
          throw usageError(
            'There is more than one --where.',
            'Pass one, and use --filter for more conditions.',
          );
        const { project_id } = await findProject(session.client, options.project);
        const [[attribute, value] = []] = where;
        const answer = await session.client.recommendPopularItems({
          ...(hours !== undefined && { window_hours: hours }),
          ...(type !== undefined && { event_type: type }),
          ...(attribute !== undefined && value !== undefined && { attribute, value }),
          ...(user !== undefined && { user_id: user }),
          ...listRequest(options),
          project_id,
        });
        showRecommendation(session, answer);
        if (!session.output.json)
          session.output.info(
            `Events of type ${answer.event_type} in the last ${answer.window_hours} hours.`,
          );
      }),
    );
};
