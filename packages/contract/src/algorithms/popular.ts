import Type from 'typebox';
import { AttributeName, Closed } from '../fields.ts';
import type { AlgorithmDefinition } from './definition.ts';

export const popular = {
  type: 'POPULAR',
  description:
    'Recommends popular items, with more weight on recent events, among all users or among users with the same value of a user attribute. About 100 target events are enough.',
  parameters: Closed({
    half_life_days: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 36_500,
        description:
          'The age, in days, at which an event has half the weight of a new one. At 36,500 days (100 years), all events have practically the same weight.',
      }),
    ),
    by_attribute: Type.Optional(
      Type.Unsafe<string>({
        ...AttributeName,
        description:
          'The user attribute by which popularity is measured: with `country`, users get what is popular in their country; with `none`, what is popular among all users. An attribute that no user has is the same as `none`.',
      }),
    ),
  }),
} as const satisfies AlgorithmDefinition;
