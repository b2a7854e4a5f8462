import type { MessageCode, Request } from '@tastegraph/contract';
import { ApiError } from '../../http/api-error.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { type Placement, placementOf } from '../placement.ts';
import type { Question, QuestionCall } from '../search/question-call.ts';
import { answerPlacement, recommendToUser } from './answer-placement.ts';

/** Share of a call's time for the attributes of items that the model does not know. */
const readShare = 0.5;

/** The items that are most similar to an item, or go best with a basket. */
export const similarItems: Question<'recommendItemsToItem'> = async (call, sent) => {
  const item_ids = anchorsOf(sent);
  const placement = placementOf(sent);
  const answer = await answerPlacement(call, placement, {
    list: item_ids,
    leftOut: item_ids,
    isRanked: false,
    prepare: async (context) => {
      const { generator, user, recommendTo } = context;
      const { declines, itemNumbers } = generator;
      const anchors = item_ids.flatMap((id) => itemNumbers.get(id) ?? []);
      const fallBack = (code: MessageCode, why: string) => ({
        ...recommendToUser(context),
        message: { code, text: `The deployed model ${why}. These are ${fallbackOf(placement)} instead.` },
      });
      if (declines.ITEMS_TO_ITEM !== undefined) return fallBack('MODEL_UNSUITABLE', declines.ITEMS_TO_ITEM);
      const late = await readLateAnchors(call, generator, item_ids);
      if (anchors.length === 0 && late.size === 0)
        return fallBack(
          'ITEMS_UNKNOWN',
          `does not know ${item_ids.length === 1 ? 'the item' : 'any of the items'}`,
        );
      const anchored = { ...user, anchors, lateAnchors: [...late.values()] };
      return {
        user: anchored,
        lateAnchorIds: [...late.keys()],
        openCandidates: (options) => recommendTo(anchored, options),
        message: null,
      };
    },
  });
  return answer && { item_ids, user_id: placement.user_id ?? null, ...answer };
};

/** The features of the items that were added after the training, as far as the model knows their attributes. */
async function readLateAnchors(
  { serving, project, clock }: QuestionCall,
  { itemNumbers, featuresOf }: LoadedModel,
  itemIds: readonly string[],
): Promise<Map<string, Uint32Array>> {
  const found = new Map<string, Uint32Array>();
  const ids = itemIds.filter((id) => !itemNumbers.has(id));
  if (!featuresOf || ids.length === 0) return found;
  const reads = serving.reads.forCall(project, clock.endMs);
  const read = reads.items({ ids, fields: 'all', ownStatement: false });
  // Without their attributes, the call is answered as for items that do not exist.
  const records = await clock.within('items', read, readShare).catch(() => undefined);
  for (const id of ids) {
    const features = featuresOf(records?.get(id)?.attributes ?? {});
    if (features.length > 0) found.set(id, features);
  }
  return found;
}

/** What a model recommends if it cannot tell what is similar. */
function fallbackOf({ user_id, context_items }: Placement): string {
  if (user_id !== undefined) return 'recommendations for the user';
  return context_items.length > 0 ? 'recommendations for the items in context_items' : 'popular items';
}

/** Each item once. */
function anchorsOf({ item_id, item_ids }: Request<'recommendItemsToItem'>): string[] {
  if (item_id !== undefined && item_ids === undefined) return [item_id];
  if (item_id === undefined && item_ids !== undefined) return [...new Set(item_ids)];
  const message = 'pass either item_id or item_ids';
  throw new ApiError(
    'INVALID_REQUEST',
    'Pass either item_id, for items similar to one, or item_ids, for items that go with a basket.',
    {
      errors: [
        { path: 'item_id', message },
        { path: 'item_ids', message },
      ],
    },
  );
}
