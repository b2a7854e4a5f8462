import type { Chance } from './chance.ts';
import { type Genre, genreMakings, genres } from './genres.ts';

export interface Reader {
  readonly user_id: string;
  readonly attributes: { readonly age_group: string; readonly country: string };
  /** What they like most first; part of nothing that is imported. */
  readonly tastes: readonly Genre[];
  /** What they turn to after a while: the last of their tastes gives way to it. */
  readonly laterTaste: Genre | undefined;
}

const ageGroups = ['18-24', '25-34', '35-49', '50-64', '65+'];
/** Each country has a genre that it likes half as much again. */
const countries: Record<string, Genre> = {
  AT: 'Travel',
  DE: 'Crime',
  DK: 'Nature',
  FI: 'Fantasy',
  FR: 'Cooking',
  GB: 'Gardening',
  IT: 'Romance',
  PL: 'Poetry',
};

/** Three whose tastes are far apart and known by heart, for looking at what is recommended to them. */
export const wellKnown: readonly Reader[] = [
  {
    user_id: 'anna',
    attributes: { age_group: '50-64', country: 'DE' },
    tastes: ['Crime', 'History'],
    laterTaste: undefined,
  },
  {
    user_id: 'ben',
    attributes: { age_group: '18-24', country: 'FI' },
    tastes: ['Fantasy', 'Science Fiction'],
    laterTaste: undefined,
  },
  {
    user_id: 'clara',
    attributes: { age_group: '35-49', country: 'FR' },
    tastes: ['Cooking', 'Gardening', 'Travel'],
    laterTaste: undefined,
  },
];

/** The well-known ones, and others with one to three tastes that their age and country make likelier. */
export function makeReaders(chance: Chance, size: number): Reader[] {
  const others = Array.from({ length: Math.max(0, size - wellKnown.length) }, (_, index): Reader => {
    const age = chance.whole(0, ageGroups.length - 1);
    const country = chance.oneOf(Object.keys(countries));
    const likes = (genre: Genre) =>
      (genreMakings[genre].ages[age] ?? 1) * (countries[country] === genre ? 1.5 : 1);
    const tastes: Genre[] = [];
    for (let left = chance.whole(1, 3); left > 0; left--)
      tastes.push(chance.weighted(genres, (genre) => (tastes.includes(genre) ? 0 : likes(genre))));
    return {
      user_id: `reader-${String(index + 1).padStart(4, '0')}`,
      attributes: { age_group: ageGroups[age] ?? '', country },
      tastes,
      laterTaste: chance.happens(0.2) ? chance.weighted(genres, likes) : undefined,
    };
  });
  return [...wellKnown, ...others];
}
