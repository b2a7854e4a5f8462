import { encodeModel, type G1Model, type G1Scorer } from '../src/g1/index.ts';
import { storeMap } from '../src/g1/items/stored-map.ts';
import { storePairs } from '../src/g1/model/stored-pairs.ts';
import {
  type Catalogue,
  type Incidence,
  IncidenceBuilder,
  InteractionsBuilder,
  type LateItems,
  seededRandom,
  type TrainingData,
} from '../src/index.ts';

export const tastes = 4;

/** Users of a few tastes, items of the same, a long tail: each user takes mostly what their taste likes. */
export function syntheticEvents(options: {
  users: number;
  items: number;
  perUser: number;
  ordered?: boolean;
  seed?: number;
}) {
  const { users, items, perUser, ordered = false, seed = 1 } = options;
  const random = seededRandom(seed);
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

/** Everything that a training may know, in small: times, a second event type, attributes of users and of items. */
export function syntheticData(): TrainingData {
  const users = 150;
  const items = 60;
  const events = syntheticEvents({ users, items, perUser: 10, ordered: true });
  for (const event of events.item.keys()) {
    events.type[event] = event % 3 === 0 ? 1 : 0;
    events.value[event] = 1 + (event % 4);
  }
  const ofOne = (rows: number, columns: number) => ({
    rows,
    columns,
    offsets: Uint32Array.from({ length: rows + 1 }, (_, row) => row),
    column: Uint32Array.from({ length: rows }, (_, row) => row % columns),
  });
  return {
    events,
    userAttributes: ofOne(users, 4),
    itemAttributes: ofOne(items, 6),
  };
}

export function incidenceOf(rows: readonly (readonly number[])[], columns: number): Incidence {
  const builder = new IncidenceBuilder();
  for (const row of rows) builder.push(row);
  return builder.build(columns);
}

/** Items of `syntheticEvents` have the value of their taste, and one of three values that say nothing. */
export const syntheticValues = (item: number) => [item % tastes, tastes + (item % 3)];
export const syntheticAttributes = (items: number) =>
  incidenceOf(
    Array.from({ length: items }, (_, item) => syntheticValues(item)),
    tastes + 3,
  );

/** Items that arrived after the training, by their attribute values. */
export function lateOf(scorer: G1Scorer, rows: readonly (readonly number[])[]): LateItems {
  const { offsets, column } = incidenceOf(
    rows.map((row) => [...scorer.featuresOf!(row)]),
    0,
  );
  return { count: rows.length, offsets, feature: column };
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

/** Names for a model's numbers, in letters of one to four bytes. */
export function namesOf({ items, attributes, weights }: G1Model): Catalogue {
  const eventTypes = weights.active.scale.map((_, type) => (type === 0 ? 'käufe' : `type ${type}`));
  return {
    itemIds: Array.from(
      { length: items },
      (_, item) => `${['', '\ufeff', 'é', '商', '🎬'][item % 5]!}${item}`,
    ),
    eventTypes,
    targetEventType: eventTypes[0]!,
    userCodes:
      attributes > 0
        ? [
            {
              name: 'plan',
              kind: 'CATEGORICAL',
              values: Array.from({ length: attributes }, (_, i) => `p${i}`),
            },
          ]
        : [],
    itemCodes: [{ name: 'größe', kind: 'NUMERICAL', edges: [1, 2.5] }],
  };
}

/** The arrays of a model's file without the IDs, the map and the pairs. */
export function storedArrays({ offsets, target, rowScale, popularity, value, lowRank }: G1Model) {
  const factors = { factor: lowRank.factor, factorSource: lowRank.source, factorTarget: lowRank.target };
  const absent = { ...storeMap(undefined), ...storePairs(undefined) };
  return { offsets, target, rowScale, popularity, value, ...factors, ...absent };
}

/** A model as a file in one piece. */
export const fileOf = (model: G1Model, catalogue = namesOf(model)) =>
  Buffer.concat([...encodeModel(model, catalogue)]);
