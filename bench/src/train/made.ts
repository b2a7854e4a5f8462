import { type Interactions, InteractionsBuilder, seededRandom } from '@tastegraph/algorithms';

/** Events an item and a user have on average; gowalla has 20 and 27. */
const eventsPerItem = 40;
const eventsPerUser = 27;
/** Of the logarithm of a history's length: half of the users have 15 events or fewer, one in a hundred 190 or more. */
const lengthSpread = 1.1;
/** Popularity falls as rank^-0.8, among all items, among the items of a taste, and among tastes. */
const zipf = 0.8;
const tastesPerUser = 3;
/** The rest is taken from all items. */
const shareByTaste = 0.7;
/** Histories are cut there anyhow. */
const longest = 1000;

/**
 * Made data with a long tail, of any size, the same for the same size: as many events a user and an item whatever the
 * size, and as many tastes as items a taste, so that growing means more of all, as it does for a shop.
 */
export function madeEvents(events: number): Interactions {
  const random = seededRandom(7);
  const users = Math.ceil(events / eventsPerUser);
  const perTaste = Math.ceil(Math.sqrt(events / eventsPerItem));
  const tastes = perTaste;
  const items = perTaste * tastes;
  const meanLog = Math.log(eventsPerUser) - lengthSpread ** 2 / 2;
  const builder = new InteractionsBuilder();
  for (let user = 0; user < users; user++) {
    const length = Math.round(Math.exp(meanLog + lengthSpread * normal(random)));
    const likes = Array.from({ length: tastesPerUser }, () => drawRank(tastes, random));
    for (let event = 0; event < Math.min(longest, Math.max(2, length)); event++) {
      const taste = likes[Math.floor(random() * tastesPerUser)]!;
      // An item's rank among all goes by its rank in its taste first: each taste has its stars.
      const item =
        random() < shareByTaste ? drawRank(perTaste, random) * tastes + taste : drawRank(items, random);
      builder.push(user, item, 0, 1, event);
    }
  }
  return builder.build({ ordered: true, users, items });
}

/** A rank from 0 to n - 1 with a chance that falls as (rank + 1)^-zipf: the integral of that, inverted. */
function drawRank(n: number, random: () => number): number {
  const rest = 1 - zipf;
  return Math.min(n - 1, Math.floor((1 + random() * (n ** rest - 1)) ** (1 / rest)) - 1);
}

/** Box and Muller's: two uniform numbers to a normal one. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
