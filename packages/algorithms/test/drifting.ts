import { InteractionsBuilder, seededRandom, type TrainingData } from '../src/index.ts';

/** In minutes. */
export const day = 1440;

/** Each user's tokens: an age by chance, and a country. */
export function attributesOf(countries: readonly number[]) {
  return {
    rows: countries.length,
    columns: 4,
    offsets: Uint32Array.from({ length: countries.length + 1 }, (_, row) => row * 2),
    column: Uint32Array.from(countries.flatMap((country, user) => [(user >> 1) % 2, 2 + country])),
  };
}

/** Every day 40 users want something: what is popular moves on, and is another after `season` days; `tastes` are apart by country. */
export function drifting({ season, tastes }: { season: number; tastes: boolean }): TrainingData {
  const random = seededRandom(7);
  const builder = new InteractionsBuilder();
  for (let time = 0; time < 90; time++)
    for (let event = 0; event < 40; event++) {
      const user = Math.floor(random() * 400);
      const first = Math.floor((time * 15) / season) + (tastes && user % 2 === 1 ? 7 : 0);
      builder.push(user, (first + Math.floor(random() ** 2 * 15)) % 300, 0, 1, time * day);
    }
  const events = builder.build({ ordered: true, users: 400, items: 300, hasTimes: true });
  return { events, userAttributes: attributesOf(Array.from({ length: 400 }, (_, user) => user % 2)) };
}
