import type { Static } from 'typebox';
import { OneOf } from '../fields.ts';
import { limits } from '../limits.ts';

/** Parts that a recommendation call can be answered without. */
export const DegradedPart = OneOf('DegradedPart', {
  history: 'The events of the user could not be read in time.',
  ranker: 'The ranker model failed.',
  trend: 'The events could not be counted in time.',
  variant: 'The model of the variant could not be used, so the deployed one answered.',
  experiment: 'The experiment could not be read, so the response is not part of it.',
});

export type DegradedPart = Static<typeof DegradedPart>;

/** How a response may differ from what was requested. */
export const MessageCode = OneOf('MessageCode', {
  LIMIT_LOWERED: `\`limit\` was above ${limits.recommendMax} and is treated as ${limits.recommendMax}.`,
  ITEMS_UNKNOWN: 'The model knows none of the items that were passed, so others are recommended.',
  MODEL_UNSUITABLE: 'The model cannot tell which items are similar, so others are recommended.',
  NO_RECENT_EVENTS:
    'The window has no events, so the items are ordered by their popularity at training time.',
  BOOSTS_INCOMPLETE: 'The boosts were applied to the best items only.',
  RANKING_INCOMPLETE: 'Not all items could be checked.',
  REASONS_INCOMPLETE: 'Only the best items have reasons.',
});

export type MessageCode = Static<typeof MessageCode>;

/** Why a response may have fewer items than requested. */
export const ShortfallCode = OneOf('ShortfallCode', {
  FEW_ITEMS: 'The item dataset has no more items to return.',
  NO_MATCH: 'No item matches the filter.',
  FEW_MATCHES: 'Too few items match the filter.',
  FEW_PER_VALUE: '`max_per_value` of `diversity` allows no more items.',
  OUT_OF_TIME: 'The call ran out of time.',
  FILTER_TOO_EXPENSIVE: 'The filter is too expensive to be evaluated for more items.',
  RECORDS_TOO_LARGE: 'The records are too large to check more items.',
});

export type ShortfallCode = Static<typeof ShortfallCode>;
