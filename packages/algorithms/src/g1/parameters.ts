import type { FitParameters } from './fit.ts';
import type { ScoreParameters } from './scorer.ts';

/** Everything that can be chosen; what a caller leaves out is searched for. */
export interface G1Parameters extends FitParameters, ScoreParameters {
  /** Targets a source may have. */
  readonly k: number;
  /** By event type; the target's is 1. */
  readonly typeWeights: readonly number[];
  /** Of a user attribute's value beside the user's items; alone it always counts. 0 leaves it out of the regression. */
  readonly attributeWeight: number;
  readonly gamma: number;
}

/** What there is to learn from; what is absent needs no search. */
export interface Signals {
  readonly items: number;
  readonly types: number;
  readonly ordered: boolean;
  readonly userAttributes: boolean;
  readonly itemAttributes: boolean;
}

/**
 * 200 is where recall levels off (400 adds .0007 on ml-1m and .0002 on yelp2018, and doubles time and memory); beyond
 * 40,000 items memory decides, down to 100 (gowalla .1920 against .1924).
 */
const targetsPerSource = (items: number) =>
  Math.min(Math.max(1, items), Math.round(Math.min(200, Math.max(100, 8e6 / items))));

/** Defaults that reached 97.7 % of the best grid NDCG on average over ten data sets in the prototype. */
export function defaults(signals: Signals): G1Parameters {
  return {
    ...{ beta: 0.3, c: 3, lambda: 100, a: 0.1 },
    recency: signals.ordered ? 0.5 : 0,
    transitions: signals.ordered ? 0.5 : 0,
    // What taobao takes: an item in the cart comes before all that resembles it.
    hint: signals.types > 1 ? 1 : 0,
    k: targetsPerSource(signals.items),
    typeWeights: Array.from({ length: signals.types }, (_, type) => [1, 0.5][type] ?? 0.3),
    attributeWeight: signals.userAttributes ? 1 : 0,
    gamma: signals.itemAttributes ? 0.3 : 0,
  };
}

/** What a is chosen from: 0 is the regression as it is, and above .2 it was never the best. */
const scales = [0, 0.1, 0.2];

/** One turn of the search: what to try from the best so far. Those that need no new fit come after those that do. */
export interface Step {
  readonly name: string;
  readonly candidates: (best: G1Parameters) => readonly G1Parameters[];
  /** Of candidates that validation cannot tell from the best, the one for which this is least is taken. */
  readonly prefer?: (parameters: G1Parameters) => number;
}

type Given = Partial<G1Parameters>;

export function searchSteps(signals: Signals, given: Given): Step[] {
  const vary = <Name extends keyof G1Parameters>(name: Name, values: readonly G1Parameters[Name][]) =>
    given[name] === undefined ? values : [];
  const step = <Name extends keyof G1Parameters>(
    name: Name,
    values: readonly G1Parameters[Name][],
    rule: Pick<Step, 'prefer'> = {},
  ): Step[] => {
    const open = vary(name, values);
    if (open.length === 0) return [];
    return [{ name, ...rule, candidates: (best) => open.map((value) => ({ ...best, [name]: value })) }];
  };
  /** Between the values of an earlier step. */
  const near = (name: 'transitions' | 'recency', distance: number, most: number): Step[] => {
    if (given[name] !== undefined) return [];
    const values = ({ [name]: value }: G1Parameters) => [
      value - 2 * distance,
      value - distance,
      value + distance,
    ];
    const candidates = (best: G1Parameters) =>
      values(best)
        .map((value) => Number(value.toFixed(2)))
        .filter((value) => value >= 0 && value <= most)
        .map((value) => ({ ...best, [name]: value }));
    return [{ name, candidates }];
  };
  // A random hold-out flatters corrections of the regression: judged by events that came later, the a that it takes is too
  // large on four of five data sets (gowalla, ml-1m, ml-100k, movietweetings; not Beauty).
  const rule = signals.ordered ? {} : { prefer: ({ a }: G1Parameters) => a };
  /** What the regression is tuned by: each candidate with all values of a, which cost no fit of their own. */
  const fits = (name: string, values: (best: G1Parameters) => readonly Partial<G1Parameters>[]): Step => ({
    ...{ name, ...rule },
    candidates: (best) =>
      values(best).flatMap((value) => or(vary('a', scales), best.a).map((a) => ({ ...best, ...value, a }))),
  });
  const lambdas = (values: readonly number[]) => vary('lambda', values).map((lambda) => ({ lambda }));
  /** lambda spans decades between data sets: where the best is at an end of the grid, it goes on, step by step. */
  const further = [
    [30, 10],
    [10, 3],
    [300, 1000],
    [1000, 3000],
  ] as const;
  const regression = [
    fits('regression', (best) => or(lambdas([30, 100, 300]), { lambda: best.lambda })),
    ...further.map(([edge, beyond]) =>
      fits(`lambda ${beyond}`, (best) => (best.lambda === edge ? lambdas([beyond]) : [])),
    ),
    fits('shape', () => shapes(given)),
    fits('lambda between', ({ lambda }) =>
      lambdas([lambda / Math.sqrt(3), lambda * Math.sqrt(3)].map((value) => Number(value.toPrecision(2)))),
    ),
  ];
  const types = Array.from({ length: signals.types - 1 }, (_, index): Step[] =>
    given.typeWeights !== undefined
      ? []
      : [
          {
            name: `weight of event type ${index + 1}`,
            candidates: (best) =>
              [0, 0.3, 0.5, 1].map((weight) => ({
                ...best,
                typeWeights: best.typeWeights.with(index + 1, weight),
              })),
          },
        ],
  ).flat();
  const hints = signals.types > 1 ? step('hint', [0, 0.1, 0.3, 1, 3]) : [];
  return [
    // First and last: beside a hint that is too weak, the regression is chosen for how well it does without.
    ...hints,
    ...regression,
    ...types,
    ...hints,
    ...(signals.userAttributes ? step('attributeWeight', [0, 0.3, 1]) : []),
    ...(signals.itemAttributes ? step('gamma', [0, 0.1, 0.3, 1], { prefer: ({ gamma }) => -gamma }) : []),
    ...(signals.ordered
      ? [
          ...step('transitions', [0, 0.25, 0.5, 0.75, 0.9, 1]),
          ...step('recency', [0, 0.25, 0.5, 1]),
          ...near('transitions', 0.1, 1),
          ...near('recency', 0.25, 2),
          ...step('a', scales),
        ]
      : []),
  ];
}

const or = <T>(values: readonly T[], value: T): readonly T[] => (values.length > 0 ? values : [value]);

/**
 * beta and c go together: trusting short histories more asks for more shrinkage of common sources. Every one of them is
 * the best on some data: (.3, 3), the default, on gowalla and amazon-cds, (.6, 3) on ml-1m, (.3, 8) and (.6, 8) where the
 * future is to be predicted (ml-1m, movietweetings).
 */
function shapes(given: Given): readonly Pick<G1Parameters, 'beta' | 'c'>[] {
  if (given.beta !== undefined || given.c !== undefined) return [];
  return [
    { beta: 0.6, c: 3 },
    { beta: 0.3, c: 8 },
    { beta: 0.6, c: 8 },
  ];
}
