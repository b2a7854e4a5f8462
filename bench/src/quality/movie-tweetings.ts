import { append, Numbering, readLines } from './data.ts';
import type { Question } from './measure.ts';

/** Ratings by user in the order of the file, and the numbers of the items. */
export function readMovieTweetings() {
  const histories = new Map<number, { item: number; seconds: number }[]>();
  const users = new Numbering();
  const items = new Numbering();
  for (const line of readLines('movietweetings-100k/ratings.dat')) {
    const [user = '', item = '', , seconds] = line.split('::');
    append(histories, users.of(user), { item: items.of(item), seconds: Number(seconds) });
  }
  return { histories, items };
}

/** The last fifth of each user's ratings is to be predicted, for users with five or more. */
export function splitMovieTweetings() {
  const { histories, items } = readMovieTweetings();
  const known = new Map<number, number[]>();
  const questions: Question[] = [];
  for (const [user, history] of histories) {
    const sorted = history.sort((a, b) => a.seconds - b.seconds).map(({ item }) => item);
    const kept = sorted.length < 5 ? sorted.length : sorted.length - Math.round(sorted.length * 0.2);
    known.set(user, sorted.slice(0, kept));
    if (kept < sorted.length) questions.push({ items: sorted.slice(0, kept), relevant: sorted.slice(kept) });
  }
  return { known, questions, items: items.size };
}
