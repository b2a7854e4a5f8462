import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, EventType, Id, ItemAttributeName, ItemId, Name, Nullable, UserId } from './fields.ts';
import { ruleFields } from './rules.ts';

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
