import { usageError } from '../cli-error.ts';
import { findProject } from '../find.ts';
import { pluralize } from '../terminal/format.ts';
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
    .action(
      withClient<PopularOptions>(context, async ({ session, options }) => {
        const { hours, type, where = new Map<string, string>(), user } = options;
        if (where.size > 1)
          throw usageError('Only one --where is allowed.', 'Use --filter for further conditions.');
        const project = await findProject(session.client, options.project);
        const { project_id } = project;
        const [[attribute, value] = []] = where;
        const answer = await session.client.recommendPopularItems({
          ...(hours !== undefined && { window_hours: hours }),
          ...(type !== undefined && { event_type: type }),
          ...(attribute !== undefined && value !== undefined && { attribute, value }),
          ...(user !== undefined && { user_id: user }),
          ...listRequest(options),
          project_id,
        });
        await showRecommendation(session, project, answer);
        if (!session.output.json)
          session.output.info(
            `Counted ${answer.event_type} events of the last ${pluralize(answer.window_hours, 'hour')}.`,
          );
      }),
    );
};
