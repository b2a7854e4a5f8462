import type { Executor } from '@tastegraph/algorithms';
import { fitModel, type G1Model, G1Scorer, train } from '@tastegraph/algorithms/g1';
import { append, fromLists, incidence, largest, Numbering, readLines } from './data.ts';
import { byItemKnn } from './measure.ts';
import { formatScore, type Outcome } from './outcome.ts';

const films = 50;
const nearest = 10;
/** One user in five is held out. */
const heldOutEvery = 5;

/** How good a list of similar films is, by users who took no part in finding them, and by what the films are. */
interface Closeness {
  /** How many times as often as by chance held-out users watch both. */
  lift: number;
  /** The share of the genres of two films that both have. */
  genres: number;
  /** The share of held-out watchers of the one who watched the other. Popular films are best at it. */
  watched: number;
}

const byTaste = 'G1, {}';
const byAttributes = 'G1, by genres and year alone, as for a new film';

/** Just below what was measured, and above cosine item-kNN (1.76 and .43). */
const least = {
  [byTaste]: { lift: 1.888, genres: 0.461 },
  [byAttributes]: { lift: 2.14, genres: 0.632 },
};

/** The ten films nearest to each of the 50 best-known of MovieLens 1M, by G1 and by cosine item-kNN. */
export async function similar(executor: Executor): Promise<Outcome> {
  const { known, heldOut, items, titles, genres } = readFilms();
  const events = fromLists(known, true, items);
  const training = await train({ events }, executor);
  const values = valuesOf(genres, titles);
  const itemAttributes = incidence(values, largest(values) + 1);
  // The penalty of the default; how much the map counts makes no difference here.
  const map = { mu: 20, known: 0.5, knownEvents: 10, fresh: 1, freshEvents: 3 };
  const mapped = await fitModel({ events, itemAttributes }, executor, { ...training.parameters, map });
  const counts = countItems(known.values(), items);
  const wellKnown = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]!).slice(0, films);
  const byKnn = byItemKnn(known, items, nearest);
  const popular = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]!);
  const ways: Record<string, (film: number) => number[]> = {
    [byTaste]: nearestByModel(training.model),
    [byAttributes]: nearestByValues(mapped, values),
    'cosine item-kNN': (film) => byKnn({ items: [film], relevant: [] }),
    'the most popular': (film) => popular.filter((other) => other !== film).slice(0, nearest),
  };
  const watchers = listWatchers(heldOut, items);
  const closeness = (film: number, other: number): Closeness => {
    const [of, and] = [watchers[film]!, watchers[other]!];
    const both = [...of].filter((user) => and.has(user)).length;
    const shared = genres[film]!.filter((genre) => genres[other]!.includes(genre)).length;
    return {
      lift: and.size > 0 ? (both * heldOut.length) / (of.size * and.size) : 0,
      genres: shared / (genres[film]!.length + genres[other]!.length - shared),
      watched: both / of.size,
    };
  };
  const scores = Object.fromEntries(
    Object.entries(ways).map(([way, find]) => [
      way,
      mean(wellKnown.flatMap((film) => find(film).map((other) => closeness(film, other)))),
    ]),
  );
  for (const film of wellKnown)
    console.error(
      `  ${titles[film]}: ${ways[byTaste]!(film)
        .map((other) => titles[other])
        .join('; ')}`,
    );
  const knn = scores['cosine item-kNN']!;
  return {
    table: `The ${nearest} films nearest to each of the ${films} best-known of MovieLens 1M`,
    rows: Object.entries(scores).map(([way, { lift, genres: shared, watched }]) => ({
      way,
      'watched together by held-out users, times chance': formatScore(lift),
      'shared genres': formatScore(shared),
      'also watched by held-out watchers': formatScore(watched),
    })),
    goals: Object.entries(least).flatMap(([way, min]) =>
      (['lift', 'genres'] as const).map((measure) => {
        const [reached, other] = [scores[way]![measure], knn[measure]];
        return {
          text: `similar films, ${way}, ${measure}: ${formatScore(reached)} (at least ${min[measure]}; cosine item-kNN ${formatScore(other)})`,
          reached: reached >= min[measure],
        };
      }),
    ),
    figures: { scores, parameters: training.parameters },
  };
}

function nearestByModel(model: G1Model): (film: number) => number[] {
  const scorer = new G1Scorer(model);
  const nobody = { item: new Uint32Array(), type: new Uint8Array(), value: new Float32Array() };
  return (film) =>
    scorer
      .recommend(
        { events: nobody, attributes: [], anchors: [film] },
        { n: nearest, masked: (other) => other === film },
      )
      .map(({ item }) => item);
}

/** As if the film had been added after the training. */
function nearestByValues(model: G1Model, values: readonly (readonly number[])[]): (film: number) => number[] {
  const scorer = new G1Scorer(model);
  const events = { item: new Uint32Array(), type: new Uint8Array(), value: new Float32Array() };
  return (film) => {
    const user = { events, attributes: [], anchors: [], lateAnchors: [scorer.featuresOf!(values[film]!)] };
    return scorer.recommend(user, { n: nearest, masked: (other) => other === film }).map(({ item }) => item);
  };
}

function valuesOf(genres: readonly (readonly string[])[], titles: readonly string[]): number[][] {
  const numbers = new Numbering();
  return genres.map((list, film) =>
    [...list, /\(\d{4}\)/.exec(titles[film]!)?.[0] ?? ''].map((value) => numbers.of(value)),
  );
}

function readFilms() {
  const users = new Numbering();
  const numbers = new Numbering();
  const histories = new Map<number, { item: number; order: number }[]>();
  for (const line of readLines('ml-1m/ratings_ordered.csv').slice(1)) {
    const [user = '', item = '', , order] = line.split(',');
    append(histories, users.of(user), { item: numbers.of(item), order: Number(order) });
  }
  const known = new Map<number, number[]>();
  const heldOut: number[][] = [];
  for (const [user, history] of histories) {
    const list = history.sort((a, b) => a.order - b.order).map(({ item }) => item);
    if (user % heldOutEvery === 0) heldOut.push(list);
    else known.set(user, list);
  }
  const titles: string[] = [];
  const genres: string[][] = [];
  for (const line of readLines('ml-1m/movies.dat')) {
    const [id = '', title = '', list = ''] = line.split('::');
    const item = numbers.find(id);
    if (item === undefined) continue;
    titles[item] = title;
    genres[item] = list.split('|');
  }
  return { known, heldOut, items: numbers.size, titles, genres };
}

function countItems(lists: Iterable<readonly number[]>, items: number): number[] {
  const counts = Array.from({ length: items }, () => 0);
  for (const list of lists) for (const item of list) counts[item]!++;
  return counts;
}

function listWatchers(lists: readonly (readonly number[])[], items: number): Set<number>[] {
  const watchers = Array.from({ length: items }, () => new Set<number>());
  for (const [user, list] of lists.entries()) for (const item of list) watchers[item]!.add(user);
  return watchers;
}

function mean(all: readonly Closeness[]): Closeness {
  const of = (measure: keyof Closeness) => all.reduce((sum, one) => sum + one[measure], 0) / all.length;
  return { lift: of('lift'), genres: of('genres'), watched: of('watched') };
}
