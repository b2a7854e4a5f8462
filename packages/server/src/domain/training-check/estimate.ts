import type { Response } from '@tastegraph/contract';
import { inWords } from '../../lib/wording.ts';
import type { ModelRow } from '../../storage/postgres/models.ts';
import type { Survey } from './survey.ts';
import { trainingRates as rates } from './training-rates.ts';

export type G1Parameters = Response<'getAlgorithm'>['algorithm_parameters'];

/** Those whose every candidate costs a fit; the others are tried on fits that are there. */
const searchedByFits = [
  'regularization',
  'popularity_regularization',
  'activity_exponent',
  'event_weights',
  'attribute_weight',
] as const satisfies (keyof G1Parameters)[];

const isSearched = (parameters: G1Parameters) =>
  searchedByFits.some((name) => parameters[name] === undefined);

/** What a training would take: scaled from the project's latest model when it has one, else from the rates of any training. */
export function estimateTraining(
  survey: Pick<Survey, 'events' | 'items'>,
  parameters: G1Parameters,
  latest: ModelRow | undefined,
): Response<'checkTraining'>['estimate'] {
  // Left to the service it is at most so many.
  const neighbors = Math.min(parameters.neighbors ?? rates.fitNeighbors, survey.items);
  const memory_bytes = Math.ceil(
    rates.fixedBytes +
      rates.bytesPerEvent * survey.events +
      rates.bytesPerNeighbor * neighbors * survey.items,
  );
  if (latest && latest.training.data.events > 0) {
    const { model_id, training } = latest;
    const seconds = (secondsLike(latest, parameters) * survey.events) / training.data.events;
    const basis = `Seconds: scaled from the project's latest model, ${model_id}, which was trained on ${inWords(training.data.events, 'event')}. Memory: from the rates of our benches.`;
    return { seconds: Math.ceil(seconds), memory_bytes, basis };
  }
  const oneFit = rates.fitSecondsPerEvent * survey.events;
  const fits =
    neighbors / rates.fitNeighbors + (isSearched(parameters) ? rates.searchFits : rates.measureFits);
  const perMillion = rates.fitSecondsPerEvent * 1e6;
  return {
    seconds: Math.ceil(rates.fixedSeconds + fits * oneFit),
    memory_bytes,
    basis: `Rates of our benches, on two processor cores: ${perMillion} seconds for a fit of a million events with ${rates.fitNeighbors} neighbors, and ${fits.toFixed(1)} such fits with these parameters.`,
  };
}

/** What the latest training would have taken with these parameters: it may have searched, and the next not, or vice versa. */
function secondsLike({ training, algorithm_parameters }: ModelRow, parameters: G1Parameters): number {
  const { read, search, fit, write } = training.seconds;
  const searches = isSearched(parameters);
  const searching =
    searches === isSearched(algorithm_parameters)
      ? search
      : fit * (searches ? rates.searchFits : rates.measureFits);
  return read + searching + fit + write;
}
