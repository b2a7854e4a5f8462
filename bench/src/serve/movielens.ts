import { readLines, requireData } from '../quality/data.ts';

/** Our copy of the data has the order of each user's ratings but not their timestamps, so we place them a second apart. */
const secondMs = 1000;
const firstTs = Date.UTC(2000, 0, 1);

/** MovieLens 1M as a developer would import it: each rating is a `watch` event with the rating as its value. */
export function readMovieLens() {
  requireData(['ml-1m']);
  const users = readLines('ml-1m/users.dat').map((line) => {
    const [user_id = '', gender = '', age = '', occupation = ''] = line.split('::');
    return { user_id, attributes: { gender, age, occupation } };
  });
  const items = readLines('ml-1m/movies.dat').map((line) => {
    const [item_id = '', title = '', genres = ''] = line.split('::');
    return { item_id, attributes: { title, genres: genres.split('|') } };
  });
  const [, ...ratings] = readLines('ml-1m/ratings_ordered.csv');
  const events = ratings.map((line) => {
    const [user_id = '', item_id = '', rating = '', order = ''] = line.split(',');
    const event_id = `${user_id}-${item_id}`;
    const ts = firstTs + Number(order) * secondMs;
    return { event_id, user_id, item_id, ts, event_type: 'watch', event_value: Number(rating) };
  });
  return { users, items, events };
}
