import type { ParametersOf } from '@tastegraph/contract';
import { type Algorithm, type Model, reporter } from '../algorithm.ts';
import { decode, encode, kind } from './file.ts';
import { groupBy } from './groups.ts';
import { byPopularity, fitPopular, type PopularModel } from './model.ts';
import { PopularScorer } from './scorer.ts';
import { search } from './search.ts';
import { sharesOf } from './shares.ts';

function modelOf(model: PopularModel): Model {
  return {
    items: model.items,
    scorerBytes: 4 * model.items,
    encode: (catalogue) => encode(model, catalogue),
    popular: () => byPopularity(model),
    scorer: (popularItems) => new PopularScorer(model, popularItems),
    shares: (users) => sharesOf(users, model),
    targetValue: 1,
    typeWeights: [],
  };
}

/**
 * What a training costs on one core. Training on 1 and 5 million synthetic events took 3.6 and 14 s, with peaks of 196
 * and 525 MiB; reading handles about 300,000 events per second.
 */
const rates = {
  fixedSeconds: 2,
  /** Reading the events, and a dozen passes over them. */
  secondsPerEvent: 7e-6,
  fixedBytes: 300_000_000,
  /** The events, their times, and the part of them that the search learns from. */
  bytesPerEvent: 90,
  bytesPerItem: 200,
};

export const popular: Algorithm<ParametersOf<'POPULAR'>> = {
  type: 'POPULAR',
  needs: {
    targetUsers: 1,
    targetItems: 1,
    thin: { targetEvents: 100, targetUsers: 1, consequence: 'ranks items mostly by chance' },
    histories: false,
    eventTimes: true,
  },
  declines: {
    ITEMS_TO_ITEM:
      'is a POPULAR model, which knows what is popular but not which items are similar. Deploy a G1 model to get similar items',
    CLUSTERING:
      'is a POPULAR model, which has no tastes of single users to cluster. Train a G1 model and use it instead',
  },
  kernels: [],
  file: kind,
  memoryAdvice:
    'Delete old events and unused items, or give the worker more memory. /check-training estimates how much it needs.',
  namedEventTypes: () => [],
  refuse: () => undefined,
  doubt: () => undefined,
  estimate: ({ events, items }) => ({
    seconds: rates.fixedSeconds + rates.secondsPerEvent * events,
    memoryBytes: rates.fixedBytes + rates.bytesPerEvent * events + rates.bytesPerItem * items,
    basis: `From our benchmarks on one CPU core: ${rates.secondsPerEvent * 1e6} seconds per million events.`,
  }),
  secondsLike: (past, _, events) =>
    (Object.values(past.seconds).reduce((sum, each) => sum + each, 0) * events) / past.events,
  // Fast enough without threads.
  async train(data, _, { parameters, names, values, signal, onProgress }) {
    const report = reporter({ signal, onProgress });
    const found = search({
      data,
      parameters,
      names,
      values,
      onProgress: (fraction, message) => report('searching', 0.9 * fraction, message),
    });
    report('fitting', 0.9, 'popularity');
    const { half_life_days, by_attribute } = found.choice;
    const groups = groupBy(by_attribute, names.userCodes, data.userAttributes);
    const model = modelOf(fitPopular(data, half_life_days, groups));
    report('fitting', 1, 'model');
    return { model, parameters: found.choice, report: found.report, priorStrength: found.priorStrength };
  },
  decode(file, options) {
    const { model, ...rest } = decode(file, options);
    return { model: modelOf(model), ...rest };
  },
};
