import { mkdirSync, writeFileSync } from 'node:fs';

const genres = ['Comedy', 'Horror', "Children's", 'Film-Noir'] as const;
const users = 200;
const movies = 80;
const firstSecond = 956_703_932;

/**
 * Writes synthetic data in the format of MovieLens 1M, which we may not distribute: three files in Latin-1, with cells
 * separated by double colons.
 */
export function writeSyntheticMovieLens(folder: string): void {
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(`${folder}/${name}`, `${lines.join('\n')}\n`, 'latin1');
  mkdirSync(folder, { recursive: true });
  write(
    'users.dat',
    Array.from({ length: users }, (_, n) => `${n + 1}::${'FM'[n % 2] ?? ''}::25::${n % 21}::0${2100 + n}`),
  );
  write(
    'movies.dat',
    Array.from({ length: movies }, (_, n) => {
      const own = genres[n % genres.length] ?? '';
      return `${n + 1}::Café ${n + 1}, The (1999)::${n % 3 === 0 ? `${own}|Drama` : own}`;
    }),
  );
  const ratings = Array.from({ length: users }, (_, user) => {
    // Most of a user's movies are of one genre.
    const own = Array.from({ length: 14 }, (__, n) => ((user * 7 + n * 3) % 20) * genres.length + (user % 4));
    const others = Array.from({ length: 6 }, (__, n) => (user * 11 + n * 17) % movies);
    return [...new Set([...own, ...others])].map(
      (movie, place) => `${user + 1}::${movie + 1}::${1 + (movie % 5)}::${firstSecond + user * 1000 + place}`,
    );
  });
  write('ratings.dat', ratings.flat());
}
