import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, Closed, Id, ItemId, Named } from './fields.ts';
import { FilterQuery } from './placement.ts';
import { FoundItem } from './recommendation.ts';

export const FindItems = Closed({
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
  attributes: Type.Optional(
    Type.Array(AttributeName, {
      maxItems: limits.requestedAttributes,
      default: [],
      description: 'The item attributes to return.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.foundItems,
      description:
        'The maximum number of items to return; 0 only counts. Defaults to 20, or to the number of `item_ids`.',
    }),
  ),
});

export const FoundItems = Named(
  'FoundItems',
  Closed({
    project_id: Id('project'),
    items: Type.Array(FoundItem, {
      description:
        'The items. Those in which the text begins an ID or an attribute come first, then by ID; with `item_ids`, in their order.',
    }),
    match_count: Type.Integer({ minimum: 0, description: 'The number of items that match.' }),
    is_complete: Type.Boolean({
      description:
        'False if the call ended before it had looked at all items: `match_count` is then a lower bound, and `items` has some of the matches. Try again shortly.',
    }),
  }),
);
