import { InteractionsBuilder, seededRandom } from '../src/index.ts';

/** Users of a few tastes, items of the same, a long tail: each user takes mostly what their taste likes. */
export function madeEvents(options: {
  users: number;
  items: number;
  perUser: number;
  ordered?: boolean;
  seed?: number;
}) {
  const { users, items, perUser, ordered = false, seed = 1 } = options;
  const random = seededRandom(seed);
  const tastes = 4;
  const builder = new InteractionsBuilder();
  for (let user = 0; user < users; user++)
    for (let event = 0; event < perUser; event++) {
      // The square favours small numbers: some items are had by many.
      const place = Math.floor(random() ** 2 * (items / tastes));
      const taste = random() < 0.8 ? user % tastes : Math.floor(random() * tastes);
      builder.push(user, Math.min(items - 1, place * tastes + taste), 0, 1, event);
    }
  return builder.build({ ordered, users, items });
}

export function eventsOf(
  lists: readonly (readonly number[])[],
  options: { items?: number; ordered?: boolean } = {},
) {
  const builder = new InteractionsBuilder();
  for (const [user, list] of lists.entries())
    for (const [place, item] of list.entries()) builder.push(user, item, 0, 1, place);
  return builder.build({ ordered: options.ordered ?? false, users: lists.length, items: options.items ?? 0 });
}

/** A user by the items they had, as the scorer is asked. */
export function userOf(
  items: readonly number[],
  attributes: readonly number[] = [],
  types?: readonly number[],
) {
  return {
    events: {
      item: Uint32Array.from(items),
      type: Uint8Array.from(types ?? items.map(() => 0)),
      value: new Float32Array(items.length).fill(1),
    },
    attributes,
  };
}
