import { type Interactions, InteractionsBuilder, seededRandom, shuffle } from '@tastegraph/algorithms';

/** Average events per item and per user; gowalla has 20 and 27. */
const eventsPerItem = 40;
const eventsPerUser = 27;
/** Standard deviation of the logarithm of history lengths: half of the users have at most 15 events, 1 % at least 190. */
const lengthSpread = 1.1;
/** Popularity falls as rank^-0.8: over all items, over the items of a taste, and over tastes. */
const zipf = 0.8;
const tastesPerUser = 3;
/** The share of a user's events with items of their tastes. The rest are with any item. */
const shareByTaste = 0.7;
/** Training cuts longer histories. */
const maxHistory = 1000;

/**
 * Synthetic data with a long tail, deterministic for each size. Users, items and tastes all grow with the number of events,
 * as in a growing shop: events per user and per item stay the same, and there are as many tastes as items per taste. Item
 * numbers are shuffled: the IDs that real items are numbered by say nothing of popularity.
 */
export function syntheticEvents(events: number): Interactions {
  const random = seededRandom(7);
  const users = Math.ceil(events / eventsPerUser);
  const perTaste = Math.ceil(Math.sqrt(events / eventsPerItem));
  const tastes = perTaste;
  const items = perTaste * tastes;
  const meanLog = Math.log(eventsPerUser) - lengthSpread ** 2 / 2;
  const number = Uint32Array.from({ length: items }, (_, item) => item);
  shuffle(number, seededRandom(8));
  const builder = new InteractionsBuilder();
  for (let user = 0; user < users; user++) {
    const length = Math.round(Math.exp(meanLog + lengthSpread * normal(random)));
    const likes = Array.from({ length: tastesPerUser }, () => drawRank(tastes, random));
    for (let event = 0; event < Math.min(maxHistory, Math.max(2, length)); event++) {
      const taste = likes[Math.floor(random() * tastesPerUser)]!;
      // Items are numbered by their rank within a taste first, so that each taste has some of the most popular items.
      const item =
        random() < shareByTaste ? drawRank(perTaste, random) * tastes + taste : drawRank(items, random);
      builder.push(user, number[item]!, 0, 1, event);
    }
  }
  return builder.build({ ordered: true, users, items });
}

/** A random rank from 0 to n - 1 with a probability in proportion to (rank + 1)^-zipf, by inverting the integral. */
function drawRank(n: number, random: () => number): number {
  const rest = 1 - zipf;
  return Math.min(n - 1, Math.floor((1 + random() * (n ** rest - 1)) ** (1 / rest)) - 1);
}

/** A normally distributed number, by the Box-Muller transform. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
