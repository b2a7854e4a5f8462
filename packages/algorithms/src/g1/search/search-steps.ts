import { type G1Parameters, type Given, otherTypes, type Signals, type Step } from '../parameters.ts';
import { dislikeSteps, hintSteps } from './type-steps.ts';

/** Candidates for a: 0 is the plain regression, and values above .2 were never the best. */
const scales = [0, 0.1, 0.2];

/** A type leaves the regression only for a larger or a significant gain of NDCG: visitors and rare items need its events. */
const unusedGain = 0.005;

/** The name of the step that chooses the weight of an event type. */
export const typeStep = (type: number) => `weight of event type ${type}`;

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
  /** Tries values between those of an earlier step. */
  const near = (name: 'transitions' | 'recency', distance: number, max: number): Step[] => {
    if (given[name] !== undefined) return [];
    const values = ({ [name]: value }: G1Parameters) => [
      value - 2 * distance,
      value - distance,
      value + distance,
    ];
    const candidates = (best: G1Parameters) =>
      values(best)
        .map((value) => Number(value.toFixed(2)))
        .filter((value) => value >= 0 && value <= max)
        .map((value) => ({ ...best, [name]: value }));
    return [{ name, candidates }];
  };
  // A random hold-out overstates what corrections of the regression gain. Judged by later events, the a that it chooses
  // is too large on four of five data sets (gowalla, ml-1m, ml-100k, movietweetings; not Beauty).
  const rule = signals.ordered ? {} : { prefer: ({ a }: G1Parameters) => a };
  /** A step for parameters of the regression: tries each candidate with all values of a, which need no fit of their own. */
  const fits = (name: string, values: (best: G1Parameters) => readonly Partial<G1Parameters>[]): Step => ({
    name,
    ...rule,
    candidates: (best) =>
      values(best).flatMap((value) => or(vary('a', scales), best.a).map((a) => ({ ...best, ...value, a }))),
  });
  const lambdas = (values: readonly number[]) => vary('lambda', values).map((lambda) => ({ lambda }));
  /** The best lambda differs by orders of magnitude. If it is at an end of the grid, the search goes on beyond it. */
  const further = [
    [30, 10],
    [10, 3],
    [300, 1000],
    [1000, 3000],
  ] as const;
  const regression = [
    {
      ...fits('regression', (best) => or(lambdas([30, 100, 300]), { lambda: best.lambda })),
      likelyNext: (best) => lambdas([1000]).map((value) => ({ ...best, ...value })),
    } satisfies Step,
    ...further.map(([edge, beyond]) =>
      fits(`lambda ${beyond}`, (best) => (best.lambda === edge ? lambdas([beyond]) : [])),
    ),
    fits('shape', () => shapes(given)),
    fits('lambda between', ({ lambda }) =>
      lambdas([lambda / Math.sqrt(3), lambda * Math.sqrt(3)].map((value) => Number(value.toPrecision(2)))),
    ),
  ];
  const others = otherTypes(signals);
  const types = (given.typeWeights === undefined ? others : []).map(
    (type): Step => ({
      name: typeStep(type),
      prefer: ({ typeWeights }) => (typeWeights[type] === 0 ? 1 : 0),
      tolerance: unusedGain,
      candidates: (best) =>
        [0, 0.3, 0.5, 1].map((weight) => ({ ...best, typeWeights: best.typeWeights.with(type, weight) })),
    }),
  );
  const hints = hintSteps('hints', signals);
  // A developer who fixes both expects no further fits.
  const isFitGiven = given.lambda !== undefined && given.typeWeights !== undefined;
  return [
    // Both first and last: with too weak a hint, the search would choose the regression that does best without it.
    ...hints,
    ...(others.length > 0 && !isFitGiven ? step('outcome', [0, 0.3, 1]) : []),
    ...regression,
    ...types,
    ...hints,
    ...(signals.userAttributes ? step('attributeWeight', [0, 0.3, 1]) : []),
    ...(signals.ordered
      ? [
          ...step('transitions', [0, 0.25, 0.5, 0.75, 0.9, 1]),
          ...step('recency', [0, 0.25, 0.5, 1]),
          ...step('pairs', [0, 0.1, 0.2, 0.4, 0.8], { prefer: ({ pairs }) => (pairs === 0 ? 0 : 1) }),
          ...near('transitions', 0.1, 1),
          ...near('recency', 0.25, 2),
          ...step('a', scales),
        ]
      : []),
    ...dislikeSteps(signals),
  ];
}

const or = <T>(values: readonly T[], value: T): readonly T[] => (values.length > 0 ? values : [value]);

/**
 * beta and c are varied together: trusting short histories more needs more shrinkage of common sources. Each pair is
 * the best on some data: (.3, 3), the default, on gowalla and amazon-cds, (.6, 3) on ml-1m, (.3, 8) and (.6, 8) for
 * predicting the future (ml-1m, movietweetings).
 */
function shapes(given: Given): readonly Pick<G1Parameters, 'beta' | 'c'>[] {
  if (given.beta !== undefined || given.c !== undefined) return [];
  // Those with the same beta are fitted at once, if they follow each other.
  return [
    { beta: 0.6, c: 3 },
    { beta: 0.6, c: 8 },
    { beta: 0.3, c: 8 },
  ];
}

/** What a step of a training looks at, for people who wait for it. */
const descriptions: Readonly<Record<string, string>> = {
  hints: 'what events say about the item itself',
  visitorHints: 'what events of visitors say about the item itself',
  outcome: 'whether to learn from events of all types',
  regression: 'how cautious to be',
  shape: 'how cautious to be with popular items',
  attributeWeight: 'how much user attributes count',
  transitions: 'how much the order of events counts',
  pairs: 'what follows two items',
  recency: 'how much newer events count',
  a: 'how much rare items count',
  fade: 'when visitors become regular users',
  dislike: 'how much dislikes count',
  repeat: 'whether users come back to items',
  'item attributes': 'how much item attributes count',
  'low-rank part': 'items that are related in a wider sense',
  support: 'items that occur together',
};

/** Of a step by its name in the search. Types are numbered there. */
export function describeStep(name: string, eventTypes: readonly string[]): string {
  const type = /event type (\d+)$/.exec(name)?.[1];
  if (type !== undefined) return `how much “${eventTypes[Number(type)] ?? type}” events count`;
  if (name.startsWith('lambda')) return descriptions['regression']!;
  return descriptions[name] ?? name;
}
