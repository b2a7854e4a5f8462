import { usageError } from '../cli-error.ts';
import { findProject } from '../find.ts';
import { type AddCommand, parseList, withClient } from './command.ts';
import { addListOptions, type ListOptions, listRequest, showRecommendation } from './show-recommendation.ts';

interface RecommendOptions extends ListOptions {
  readonly context?: string[];
  readonly excludeTypes?: string[];
  readonly seen?: boolean;
  readonly model?: string;
}

export const addRecommend: AddCommand = (program, context) => {
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
    .option(
      '--exclude-types <type,…>',
      'leave out items for which the user has an event of these types (default: the target event type)',
      parseList,
    )
    .option('--model <model>', 'ID of another model of the project, to try it before you deploy it')
    .option('--seen', 'include items for which the user already has a target event')
    .action(
      withClient<RecommendOptions>(context, async ({ session, options, args }) => {
        const { context: context_items, excludeTypes, seen, model } = options;
        const [user_id] = args;
        if (user_id === undefined && !context_items?.length)
          throw usageError('A user or --context is required.', 'Pass a user, --context, or both.');
        const project = await findProject(session.client, options.project);
        const { project_id } = project;
        const answer = await session.client.recommendItemsToUser({
          ...(user_id !== undefined && { user_id }),
          ...listRequest(options),
          project_id,
          ...(context_items && { context_items }),
          ...(excludeTypes && { exclude_event_types: excludeTypes }),
          ...(seen && { exclude_seen: false }),
          ...(model !== undefined && { model_id: model }),
        });
        await showRecommendation(session, project, answer);
      }),
    );
};
