import Type from 'typebox';
import {
  AttributeName,
  EventType,
  Id,
  ItemAttributeName,
  ItemId,
  Name,
  NamedObject,
  Nullable,
  UserId,
} from '../fields.ts';
import { limits } from '../limits.ts';

const Condition = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.filterQueryLength,
    description: `A CEL expression over \`item\`, as in \`filter_query\`: ${what}.`,
  });

const Boost = NamedObject('Boost', {
  if: Condition('the items whose score is multiplied'),
  factor: Type.Number({
    minimum: limits.boostFactorMin,
    maximum: limits.boostFactorMax,
    description: 'What to multiply the score by: more than 1 moves an item up, less than 1 down.',
  }),
});

const Pin = NamedObject('Pin', {
  position: Type.Integer({
    minimum: 1,
    maximum: limits.recommendMax,
    description: 'The position in the list, starting at 1.',
  }),
  item_id: ItemId,
});

const Promotion = NamedObject(
  'Promotion',
  {
    if: Condition('the items to promote'),
    share: Type.Number({
      minimum: 0,
      maximum: limits.promotedShare,
      description: 'The minimum share of the items on a page that match, if there are enough that do.',
    }),
  },
  'Reserves a share of every page for the best items that match, spread over the page. Matching items that are on the page because of their score count toward the share.',
);

const diversityLevels = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const;

const Diversity = NamedObject(
  'Diversity',
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
  'Makes a page varied: by `level`, by `attribute` and `max_per_value`, or both. Items that are left out of a page may be on the next one.',
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
export const AppliedRule = NamedObject('AppliedRule', {
  rule: Type.Enum(['boost', 'pin', 'promote', 'new_item_share', 'diversity'], {
    description:
      'The rule. `diversity` means that the item took the place of one with a higher score, which is further down or was left out.',
  }),
  if: Type.Optional(Type.String({ description: 'The condition of a boost or a promotion.' })),
  factor: Type.Optional(Type.Number({ description: 'The factor of the boost.' })),
  position: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The requested position of a pinned item. In a shorter list, the item may be further up.',
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
});

/** The fields of recommendation calls. Each call is composed from them, so that a field means the same everywhere. */

export const FilterQuery = Nullable(Type.String({ maxLength: limits.filterQueryLength }), {
  default: null,
  description:
    'A CEL expression over `item` that recommended items must satisfy, such as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.',
});

const ItemIds = (maxItems: number, description: string) =>
  Type.Optional(Type.Array(ItemId, { maxItems, default: [], description }));

export const ScenarioName = Type.String({
  ...Name('scenario'),
  description: 'The name of the scenario, unique in the project, such as `home` or `product page`.',
});

/** What a response shows for each item. */
const itemFields = {
  attributes: Type.Optional(
    Type.Array(AttributeName, {
      maxItems: limits.requestedAttributes,
      default: [],
      description: 'The item attributes to return.',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether to return a `score` and `reasons` for each item.' }),
  ),
};

/** How a call names its project and scenario, and what the response shows for each item. */
export const shownFields = {
  ...itemFields,
  project_id: Type.Optional(Id('project', undefined, 'Defaults to the default project of the account.')),
  scenario: Type.Optional(
    Type.String({
      ...Name('scenario'),
      description:
        'The name of a scenario of the project. Its fields apply to this call; fields of the call itself override them.',
    }),
  ),
};

/** Which items a list may contain, in which order. */
export const listSettings = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: limits.recommendDefault,
      description: `The number of items to return. A number above ${limits.recommendMax} is treated as ${limits.recommendMax}, and \`message\` says so.`,
    }),
  ),
  filter_query: Type.Optional(FilterQuery),
  exclude_item_ids: ItemIds(limits.excludedItems, 'Items not to return.'),
  ...ruleFields,
};

/** A list, and which page of it to return. */
export const listFields = {
  ...listSettings,
  cursor: Type.Optional(
    Type.String({
      maxLength: limits.cursorLength,
      description:
        'The `cursor` of the previous page. The response contains the next items and repeats none, even if the user has new events or another model was deployed. Otherwise send the same request; only `limit`, `attributes` and `explain` may differ.',
    }),
  ),
};

/** The user, and the context, whose taste counts. */
export const userFields = {
  user_id: Type.Optional(UserId),
  context_items: ItemIds(
    limits.contextItems,
    'Items to treat, in this call only, as if the user had just interacted with them (a target event for each), the most recent last: for example, the items in a basket, or those that a visitor looked at. Without `user_id`, recommendations are based on these items alone.',
  ),
};

/** Which items count as seen, and whether to exclude them. */
export const seenFields = {
  exclude_seen: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether to exclude items that the user has seen: those with a target event, and `context_items`.',
    }),
  ),
  exclude_event_types: Type.Optional(
    Type.Array(EventType(), {
      minItems: 1,
      maxItems: limits.excludedEventTypes,
      description:
        'The event types that make an item seen: an item is excluded if the user has an event of one of these types with it. Default: the target event type. Ignored if `exclude_seen` is false.',
    }),
  ),
};

/** Which events make an item popular. */
export const trendFields = {
  window_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.windowHoursMax,
      description:
        'The length of the window, in hours before the call. By default, the service chooses the window that best predicts the next events of the project.',
    }),
  ),
  event_type: Type.Optional(EventType('The type of the events to count. Default: the target event type.')),
  attribute: Type.Optional(ItemAttributeName),
  value: Type.Optional(
    Type.Union([Type.String({ maxLength: limits.attributeNameLength }), Type.Number(), Type.Boolean()], {
      description:
        'Return only items whose `attribute` is this value, or is a list that contains it. Pass both fields or neither.',
    }),
  ),
};

/** The fields that a scenario may set. */
export const settingFields = { ...listSettings, ...seenFields, ...trendFields, ...itemFields };
