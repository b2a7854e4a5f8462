import { type Algorithm, type Model, reporter } from '../algorithm.ts';
import { innerProducts, sparseProducts, transformation } from '../low-rank/factors.ts';
import { byPopularity } from '../popular/model.ts';
import { cellCounts } from './data/counting-sort.ts';
import { columnDegrees, matrixColumns, matrixRows } from './data/matrix-kernels.ts';
import { columnLayout } from './data/place-columns.ts';
import { doubt, estimate, refuse, secondsLike } from './estimate.ts';
import { pairCounts } from './fit/find-pairs.ts';
import { pairTargets } from './fit/pair-targets.ts';
import { regression } from './fit/regression.ts';
import { pairsByTarget } from './fit/sources.ts';
import { cooccurrence } from './fit/support.ts';
import { targetLayout, weightScatter } from './fit/target-windows.ts';
import { succession } from './fit/transitions.ts';
import { gramKernel, rowsKernel } from './items/fit-map.ts';
import { decodePackedModel, encodeModel, kind } from './model/file.ts';
import type { G1Model } from './model/model.ts';
import { modelRows } from './model/model-rows.ts';
import { G1Scorer } from './model/score.ts';
import { sharesOf } from './model/shares.ts';
import { evaluation } from './search/evaluate.ts';
import { mapEvaluation } from './search/evaluate-map.ts';
import { describeStep } from './search/search-steps.ts';
import { train } from './train.ts';
import { fromWire, toWire, type WireParameters } from './wire-parameters.ts';

/** Scratch memory of the scorer, and the items by popularity. */
const scorerBytesPerItem = 23;

/** The mean value of target events: an event's strength is its value divided by this mean, times the type's weight. */
function meanValue({ parameters: { typeWeights }, weights }: G1Model): number {
  const [weight = 1] = typeWeights;
  const [scale = 0] = weights.active.scale;
  return scale > 0 ? weight / scale : 1;
}

export function modelOf(model: G1Model): Model {
  return {
    items: model.items,
    scorerBytes: scorerBytesPerItem * model.items,
    encode: (catalogue) => encodeModel(model, catalogue),
    popular: () => byPopularity(model),
    scorer: (popular) => new G1Scorer(model, popular),
    ...(model.map && { eventsOf: (item: number) => model.map?.events[item] ?? 0 }),
    shares: (users) => sharesOf(users, model),
    targetValue: meanValue(model),
    typeWeights: model.parameters.typeWeights,
  };
}

export const g1: Algorithm<WireParameters> = {
  type: 'G1',
  needs: {
    // With one user or one item there is nothing to compare.
    targetUsers: 2,
    targetItems: 2,
    // A judgment, not a measurement.
    thin: { targetEvents: 1000, targetUsers: 50, consequence: 'learns little more than what is popular' },
    histories: true,
    eventTimes: true,
  },
  declines: {},
  kernels: [
    matrixRows,
    cellCounts,
    matrixColumns,
    columnDegrees,
    pairsByTarget,
    cooccurrence,
    columnLayout,
    targetLayout,
    regression,
    weightScatter,
    succession,
    pairCounts,
    pairTargets,
    evaluation,
    gramKernel,
    rowsKernel,
    modelRows,
    mapEvaluation,
    sparseProducts,
    innerProducts,
    transformation,
  ],
  file: kind,
  memoryAdvice:
    'Lower "neighbors", delete old events and unused items, or give the worker more memory. /check-training estimates how much it needs.',
  namedEventTypes: ({ event_weights }) => Object.keys(event_weights ?? {}),
  refuse,
  doubt,
  estimate,
  secondsLike,
  async train(data, executor, { parameters, names, values, windowBytes, signal, onProgress }) {
    const report = reporter({ signal, onProgress });
    const { eventTypes } = names;
    const training = await train(data, executor, {
      given: fromWire(parameters, eventTypes),
      ...(values && { values }),
      windowBytes,
      onProgress: (stage, fraction) => {
        const [part, what = ''] = stage.split(': ');
        report(part === 'fit' ? 'fitting' : 'searching', fraction, describeStep(what, eventTypes));
      },
    });
    const { test, popularity, coldUsers, coldItems, validationUsers, sampledUsers, priorStrength } = training;
    const otherTypes = { fade: training.parameters.fade, types: training.otherTypes };
    const heldOut = training.holdOut === 'random' ? 'random' : 'latest';
    return {
      model: modelOf(training.model),
      parameters: toWire(training.parameters, eventTypes),
      report: {
        test,
        popularity,
        coldUsers,
        coldItems,
        validationUsers,
        sampledUsers,
        heldOut,
        otherTypes,
      },
      priorStrength,
    };
  },
  decode(file, options) {
    const { model, ...rest } = decodePackedModel(file, options);
    return { model: modelOf(model), ...rest };
  },
};
