import { InteractionsBuilder, seededRandom } from '../src/index.ts';

/**
 * Users of so many tastes: item i belongs to taste i % tastes, small numbers are had by many, and `noise` of the events
 * are with items of any taste. `more` adds that part of events to each user, after the same ones.
 */
export function plantedTastes(options: {
  users: number;
  items: number;
  tastes: number;
  noise: number;
  perUser: number;
  more?: number;
  seed?: number;
}) {
  const { users, items, tastes, noise, perUser, more = 0, seed = 1 } = options;
  const random = seededRandom(seed);
  const later = seededRandom(seed + 1000);
  const builder = new InteractionsBuilder();
  const tasteOf = new Int32Array(users);
  for (let user = 0; user < users; user++) {
    const own = Math.floor(random() * tastes);
    tasteOf[user] = own;
    const push = (by: () => number, time: number) => {
      const taste = by() < noise ? Math.floor(by() * tastes) : own;
      // The cube favours small numbers.
      builder.push(user, Math.floor(by() ** 3 * Math.floor(items / tastes)) * tastes + taste, 0, 1, time);
    };
    const count = Math.max(2, Math.round(perUser * (0.3 + 1.4 * random())));
    for (let event = 0; event < count; event++) push(random, event);
    for (let event = 0; event < count * more; event++) push(later, count + event);
  }
  return { events: builder.build({ ordered: true, users, items }), tasteOf };
}
