import Type from 'typebox';
import { ids } from '../bookshop.ts';
import { AttributeName, Closed, Id, ItemId, NamedObject, Natural } from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { FilterQuery, shownFields } from './placements.ts';
import { FoundItem } from './recommendations.ts';

const FindItems = Closed({
  project_id: Id('project'),
  item_ids: Type.Optional(
    Type.Array(ItemId, {
      maxItems: limits.foundItems,
      description:
        'Look at these items only. Those without a record are left out; the others are returned in this order.',
    }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: limits.searchTextLength,
      description:
        'Only items that contain every word of this text, in their ID or in one of `text_attributes`. A word may be part of a longer one; upper and lower case are the same.',
    }),
  ),
  text_attributes: Type.Optional(
    Type.Array(AttributeName, {
      maxItems: limits.searchedAttributes,
      default: [],
      description: 'The item attributes to search for `text`, such as the `title_attribute` of the project.',
    }),
  ),
  filter_query: Type.Optional(FilterQuery),
  attributes: shownFields.attributes,
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.foundItems,
      description:
        'The maximum number of items to return; 0 only counts. Defaults to 20, or to the number of `item_ids`.',
    }),
  ),
});

const FoundItems = NamedObject('FoundItems', {
  project_id: Id('project'),
  items: Type.Array(FoundItem, {
    description:
      'The items. Those in which the text begins an ID or an attribute come first, then by ID; with `item_ids`, in their order.',
  }),
  match_count: Natural('The number of items that match.'),
  is_complete: Type.Boolean({
    description:
      'False if the call ended before it had looked at all items: `match_count` is then a lower bound, and `items` has some of the matches. Try again shortly.',
  }),
});

const operations = {
  findItems: {
    summary: 'Find items of a project by ID, by words or by a filter, and count them',
    description:
      'Items must satisfy everything that you pass: be one of `item_ids`, contain the words of `text` and match `filter_query`. Returns them as they are now, and how many there are in the whole dataset. Serving processes answer it from the copy of the items that they keep in memory for filters; until it is loaded, a large dataset is read as far as the time of the call allows, and `is_complete` is false. It needs no deployed model, and does not count toward `qps`.',
    request: FindItems,
    response: FoundItems,
    maxBodyBytes: limits.mediumBodyBytes,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

export const itemSearchOperations = defineOperations('Records', operations, {
  findItems: {
    request: {
      project_id: ids.project,
      text: 'horizon',
      text_attributes: ['title'],
      filter_query: 'item.price < 20.0',
      attributes: ['title'],
      limit: 5,
    },
    otherRequests: [{ project_id: ids.project, item_ids: ['the-glass-horizon'], attributes: ['title'] }],
    response: {
      project_id: ids.project,
      items: [{ item_id: 'the-glass-horizon', title: 'The Glass Horizon' }],
      match_count: 1,
      is_complete: true,
    },
  },
});
