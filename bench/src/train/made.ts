import { type Interactions, InteractionsBuilder, seededRandom } from '@tastegraph/algorithms';

/** Items that go together; a user likes two of the groups. */
const groups = 200;
/** How steeply popularity falls: the most popular hundredth of a group's items gets a fifth of its events. */
const steepness = 3;
/** Events a user has on average, as in gowalla. */
const eventsPerUser = 27;

/**
 * Made data with a long tail, of any size: as many events a user and an item whatever the size, so that growing means
 * more of both, as it does for a shop.
 */
export function madeEvents(events: number): Interactions {
  const random = seededRandom(7);
  const users = Math.ceil(events / eventsPerUser);
  const items = Math.ceil(events / 40);
  const perGroup = Math.ceil(items / groups);
  const builder = new InteractionsBuilder();
  for (let user = 0; user < users; user++) {
    // Exponential: many short histories, some long ones.
    const length = Math.max(2, Math.round(-Math.log(1 - random()) * eventsPerUser));
    const likes = [random(), random()].map((value) => Math.floor(value * groups));
    for (let event = 0; event < length; event++) {
      const group = random() < 0.8 ? likes[event & 1]! : Math.floor(random() * groups);
      const place = Math.floor(random() ** steepness * perGroup);
      builder.push(user, Math.min(items - 1, group * perGroup + place), 0, 1, event);
    }
  }
  return builder.build({ ordered: true, users, items });
}
