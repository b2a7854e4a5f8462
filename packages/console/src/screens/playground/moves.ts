import type { Response } from '@tastegraph/sdk';
import type { Move } from '../../items/recommendations.tsx';

type Results = Response<'recommendItemsToUser'>['results'];

/** How each item of a list has moved since the list before. */
export function movesOf(list: Results, before: Results): ReadonlyMap<string, Move> {
  const earlier = new Map(before.map(({ item, score = 0 }, index) => [item.item_id, { index, score }]));
  return new Map(
    list.map(({ item, score = 0 }, index): [string, Move] => {
      const other = earlier.get(item.item_id);
      if (!other) return [item.item_id, { kind: 'new' }];
      return [item.item_id, { kind: 'moved', up: other.index - index, scoreChange: score - other.score }];
    }),
  );
}

/** The items of a list that are not in the next one. */
export function goneOf(list: Results, next: Results): ReadonlyMap<string, Move> {
  const kept = new Set(next.map(({ item }) => item.item_id));
  const gone = list.filter(({ item }) => !kept.has(item.item_id));
  return new Map(gone.map(({ item }) => [item.item_id, { kind: 'gone' }]));
}

/** "5 in the same place, 4 moved, 3 new, 3 gone" */
export function summarize(moves: ReadonlyMap<string, Move>, gone: ReadonlyMap<string, Move>): string {
  const all = [...moves.values()];
  const same = all.filter((move) => move.kind === 'moved' && move.up === 0).length;
  const fresh = all.filter(({ kind }) => kind === 'new').length;
  const parts = [
    `${same} in the same place`,
    `${all.length - same - fresh} moved`,
    `${fresh} new`,
    `${gone.size} gone`,
  ];
  return parts.join(', ');
}
