import type { Filter } from '../../filters/compile-filter.ts';
import { invalidField } from '../../http/api-error.ts';
import type { Placement } from '../placement.ts';
import type { Rules } from '../rules/rules.ts';
import type { LoadedModel } from './loaded-model.ts';

/** Throws an ApiError if a call compares or requests an attribute that is a vector. */
export function refuseVectors(
  { vectorNames }: Pick<LoadedModel, 'vectorNames'>,
  { attributes }: Pick<Placement, 'attributes'>,
  filter: Pick<Filter, 'attributes'> | undefined,
  rules: Pick<Rules, 'boosts' | 'promotion' | 'diversity'> | undefined,
): void {
  if (vectorNames.size === 0) return;
  const { boosts = [], promotion, diversity } = rules ?? {};
  const used: [path: string, names: readonly string[] | undefined][] = [
    ['attributes', attributes],
    ['filter_query', filter?.attributes],
    ...boosts.map((boost, place): [string, Filter['attributes']] => [
      `boosts.${place}.if`,
      boost.filter.attributes,
    ]),
    ['promote.if', promotion?.filter.attributes],
    ['diversity.attribute', diversity?.cap && [diversity.cap.attribute]],
  ];
  for (const [path, names = []] of used) {
    const vector = names.find((name) => vectorNames.has(name));
    if (vector !== undefined)
      throw invalidField(
        path,
        `contains ${JSON.stringify(vector)}, which is a vector: only the model can use it`,
      );
  }
}
