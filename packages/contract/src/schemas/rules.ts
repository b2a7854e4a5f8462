import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, ItemAttributeName, ItemId, Named } from './fields.ts';

const Condition = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.filterQueryLength,
    description: `A CEL expression over \`item\`, as in \`filter_query\`: ${what}.`,
  });

const Boost = Named(
  'Boost',
  Closed({
    if: Condition('the items whose score is multiplied'),
    factor: Type.Number({
      minimum: limits.boostFactorMin,
      maximum: limits.boostFactorMax,
      description: 'What to multiply the score by: more than 1 moves an item up, less than 1 down.',
    }),
  }),
);

const Pin = Named(
  'Pin',
  Closed({
    position: Type.Integer({
      minimum: 1,
      maximum: limits.recommendMax,
      description: 'The position in the list, starting at 1.',
    }),
    item_id: ItemId,
  }),
);

const Promotion = Named(
  'Promotion',
  Closed(
    {
      if: Condition('the items to promote'),
      share: Type.Number({
        minimum: 0,
        maximum: limits.promotedShare,
        description: 'The minimum share of the items on a page that match, if there are enough that do.',
      }),
    },
    {
      description:
        'Reserves a share of every page for the best items that match, spread over the page. Matching items that are on the page because of their score count toward the share.',
    },
  ),
);

const diversityLevels = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const;

const Diversity = Named(
  'Diversity',
  Closed(
    {
      level: Type.Optional(
        Type.Enum([...diversityLevels], {
          default: 'NONE',
          description:
            'How strongly to prefer items that differ from the items above them. A higher level makes the list more varied, but the order follows the scores less.',
        }),
      ),
      attribute: Type.Optional(ItemAttributeName),
      max_per_value: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: limits.recommendMax,
          description:
            'The maximum number of items per page with the same value of `attribute`. An item whose attribute is a list counts for each of its values. Items without the attribute are not limited.',
        }),
      ),
    },
    {
      description:
        'Makes a page varied: by `level`, by `attribute` and `max_per_value`, or both. Items that are left out of a page may be on the next one.',
    },
  ),
);

/** An operator's rules for a list: they change its order, or put items into it. */
export const ruleFields = {
  boosts: Type.Optional(
    Type.Array(Boost, {
      maxItems: limits.boosts,
      default: [],
      description:
        'Multiplies the scores of the items that match. If an item matches several boosts, its score is multiplied by each factor. Items that the model relates to nothing in the events of the user are ordered by popularity and stay below the others, whatever the factors.',
    }),
  ),
  pins: Type.Optional(
    Type.Array(Pin, {
      maxItems: limits.pins,
      default: [],
      description:
        'Items with a fixed position on the first page. If the list is shorter, they come last. A pinned item must have a record. It is returned even if it does not match `filter_query` or the user has seen it, but not if it is in `exclude_item_ids`.',
    }),
  ),
  promote: Type.Optional(Promotion),
  new_item_share: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: limits.newItemShare,
      default: 0,
      description: `The minimum share of the items on a page that are new, if there are enough: items with fewer than ${limits.newItemEvents} events in the training, and items that were added after it. For each reserved position, one of the ${limits.newItemChoices} best new items that are left is drawn at random; the draw stays the same for a user for one day (UTC). New items that are on the page because of their score count toward the share.`,
    }),
  ),
  diversity: Type.Optional(Diversity),
};

/** How a rule affected an item. */
export const AppliedRule = Named(
  'AppliedRule',
  Closed({
    rule: Type.Enum(['boost', 'pin', 'promote', 'new_item_share', 'diversity'], {
      description:
        'The rule. `diversity` means that the item took the place of one with a higher score, which is further down or was left out.',
    }),
    if: Type.Optional(Type.String({ description: 'The condition of a boost or a promotion.' })),
    factor: Type.Optional(Type.Number({ description: 'The factor of the boost.' })),
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The requested position of a pinned item. In a shorter list, the item may be further up.',
      }),
    ),
    probability: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description:
          'For `new_item_share`, the probability with which this item was drawn for its position, given the items above it.',
      }),
    ),
  }),
);
