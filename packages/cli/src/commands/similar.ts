import { findProject } from '../find.ts';
import { type AddCommand, withClient } from './command.ts';
import { addListOptions, type ListOptions, listRequest, showRecommendation } from './show-recommendation.ts';

interface SimilarOptions extends ListOptions {
  readonly user?: string;
}

export const addSimilar: AddCommand = (program, context) => {
  const command = program
    .command('similar')
    .summary('recommend items that are similar to an item')
    .description('Get the items that are most similar to an item, or that go best with several.')
    .argument('<item...>', 'ID of the item, or of each item in a basket');
  addListOptions(command)
    .option('--user <user>', 'ID of a user whose taste also counts')
    .action(
      withClient<SimilarOptions>(context, async ({ session, options, args }) => {
        const project = await findProject(session.client, options.project);
        const { project_id } = project;
        const { user } = options;
        const answer = await session.client.recommendItemsToItem({
          item_ids: [...args],
          ...(user !== undefined && { user_id: user }),
          ...listRequest(options),
          project_id,
        });
        await showRecommendation(session, project, answer);
      }),
    );
};
