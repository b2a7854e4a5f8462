import { type Genre, genreProfiles, genres } from './genres.ts';
import type { Random } from './random.ts';

export interface Reader {
  readonly user_id: string;
  readonly attributes: { readonly age_group: string; readonly country: string };
  /** Favorite genre first. Not imported. */
  readonly tastes: readonly Genre[];
  /** Replaces the last of their tastes after a while. */
  readonly laterTaste: Genre | undefined;
}

const ageGroups = ['18-24', '25-34', '35-49', '50-64', '65+'];
/** Per country, the genre that its readers like 1.5 times as much. */
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

/** Three readers with distinct, fixed tastes, for whom the demo shows recommendations. */
export const sampleReaders: readonly Reader[] = [
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

/** Generates the well-known readers and others, with one to three tastes that depend on their age and country. */
export function generateReaders(random: Random, size: number): Reader[] {
  const others = Array.from({ length: Math.max(0, size - sampleReaders.length) }, (_, index): Reader => {
    const age = random.integer(0, ageGroups.length - 1);
    const country = random.oneOf(Object.keys(countries));
    const likes = (genre: Genre) =>
      (genreProfiles[genre].ages[age] ?? 1) * (countries[country] === genre ? 1.5 : 1);
    const tastes: Genre[] = [];
    for (let left = random.integer(1, 3); left > 0; left--)
      tastes.push(random.weighted(genres, (genre) => (tastes.includes(genre) ? 0 : likes(genre))));
    return {
      user_id: `reader-${String(index + 1).padStart(4, '0')}`,
      attributes: { age_group: ageGroups[age] ?? '', country },
      tastes,
      laterTaste: random.chance(0.2) ? random.weighted(genres, likes) : undefined,
    };
  });
  return [...sampleReaders, ...others];
}
