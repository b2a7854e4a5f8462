import type { Executor } from '../kernels/parallel.ts';
import type { TrainingData } from '../training.ts';
import { Fitter, fitterMemory, signalsOf } from './fit/fitter.ts';
import { hasLowRank, storedFactorsOf } from './fit/low-rank.ts';
import { makeScorer } from './fit/scorer.ts';
import { addMap, buildModel, type G1Model } from './model/model.ts';
import { defaults, type G1Parameters } from './parameters.ts';
import { type SearchOptions, type SearchResult, search } from './search/search.ts';

/** Fits all data with the given parameters, and defaults for the others. */
export async function fitModel(
  data: TrainingData,
  executor: Executor,
  given: Partial<G1Parameters> = {},
  onProgress?: SearchOptions['onProgress'],
  memory = fitterMemory(),
): Promise<G1Model> {
  const parameters = { ...defaults(signalsOf(data)), ...given };
  const fitter = new Fitter(data, parameters.k, executor, memory);
  onProgress?.('support', 0);
  await fitter.prepare(parameters);
  onProgress?.('regression', 0.3);
  const taste = await fitter.taste(parameters);
  const profile = await fitter.profile(parameters);
  if (!hasLowRank(parameters)) await fitter.forgetMatrix();
  onProgress?.('transitions', 0.8);
  const transitions = parameters.transitions > 0 ? await fitter.transitions() : undefined;
  const pairs = parameters.pairs > 0 ? await fitter.pairs() : undefined;
  const popularity = fitter.popularity(taste.degree, parameters);
  onProgress?.('low-rank part', 0.85);
  const scorerOf = () => makeScorer(taste, transitions, parameters);
  const lowRank = await storedFactorsOf(fitter, scorerOf, parameters);
  const weights = fitter.weights(parameters);
  await fitter.forgetMatrix();
  const parts = { taste, transitions, profile, weights, popularity, lowRank, pairs };
  const model = await buildModel(parameters, parts, executor, memory.windowBytes);
  onProgress?.('attributes', 0.95);
  const mapped = await addMap(model, data, executor);
  onProgress?.('model', 1);
  return mapped;
}

export interface Training extends SearchResult {
  readonly model: G1Model;
}

/** The search takes most of the time: four to six fits, each of up to four penalties, and the evaluations, compared to one fit. */
const searchShare = 0.75;

/** Training with `algorithm_parameters: {}`: chooses the parameters on a held-out part, then fits all data. */
export async function train(
  data: TrainingData,
  executor: Executor,
  options: SearchOptions = {},
): Promise<Training> {
  const { onProgress } = options;
  const memory = fitterMemory(options.windowBytes);
  const found = await search(data, executor, {
    ...options,
    memory,
    onProgress: (stage, fraction) => onProgress?.(`search: ${stage}`, fraction * searchShare),
  });
  await executor.release?.();
  const onFit: SearchOptions['onProgress'] = (stage, fraction) =>
    onProgress?.(`fit: ${stage}`, searchShare + fraction * (1 - searchShare));
  const model = await fitModel(data, executor, found.parameters, onFit, memory);
  return { ...found, model };
}
