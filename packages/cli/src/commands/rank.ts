import { findProject } from '../find.ts';
import { type AddCommand, withClient } from './command.ts';
import {
  addShownOptions,
  type ShownOptions,
  shownRequest,
  showRecommendation,
} from './show-recommendation.ts';

export const addRank: AddCommand = (program, context) => {
  const command = program
    .command('rank')
    .summary('rank items for a user')
    .description('Rank items for a user with the deployed model. Shows all of them, with scores.')
    .argument('<user>', 'ID of the user')
    .argument('<item...>', 'IDs of the items, up to 1,000');
  addShownOptions(command).action(
    withClient<ShownOptions>(context, async ({ session, options, args }) => {
      const project = await findProject(session.client, options.project);
      const { project_id } = project;
      const [user_id = '', ...item_ids] = args;
      const answer = await session.client.rankItemsForUser({
        user_id,
        item_ids,
        project_id,
        ...shownRequest(options),
      });
      await showRecommendation(session, project, answer);
      const { unknown_item_ids } = answer;
      if (!session.output.json && unknown_item_ids.length > 0)
        session.output.info(
          `Unknown to the model or without a record, therefore last: ${unknown_item_ids.join(', ')}`,
        );
    }),
  );
};
