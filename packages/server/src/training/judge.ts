import {
  type Algorithm,
  countTargets,
  type DataNeeds,
  type DataSize,
  type Interactions,
} from '@tastegraph/algorithms';
import { JobError } from '../jobs/engine/job-error.ts';
import { isBeyondKernel, isOutOfMemory } from '../jobs/engine/out-of-memory.ts';
import { formatCount } from '../kernel/lib/format.ts';
import type { EventTypes } from './event-types.ts';
import type { TrainingSource } from './rows/training-rows.ts';

/**
 * Throws a JobError if there is too little data to learn the target from; the message lists the existing event types.
 */
export function checkEnough(
  events: Interactions,
  types: EventTypes,
  source: TrainingSource,
  { targetUsers, targetItems }: DataNeeds,
): void {
  const target = JSON.stringify(source.target_event_type);
  const { dataset_id } = source.events;
  const existingTypes = types.summary();
  if (existingTypes === '')
    throw new JobError(
      'NO_TARGET_EVENTS',
      `Event dataset ${dataset_id} is empty. Import events of type ${target}, then train again.`,
    );
  if (types.targetCount === 0)
    throw new JobError(
      'NO_TARGET_EVENTS',
      `Event dataset ${dataset_id} has no events of type ${target}; it has ${existingTypes}. Import events of that type, or create a project whose target_event_type is one of the existing types.`,
    );
  const { users, items } = countTargets(events);
  if (users < targetUsers || items < targetItems)
    throw new JobError(
      'TOO_LITTLE_DATA',
      `Only ${formatCount(users, 'user')} and ${formatCount(items, 'item')} in event dataset ${dataset_id} have ${target} events with an event_value above 0, and a model needs at least ${formatCount(targetUsers, 'user')} and ${formatCount(targetItems, 'item')}. The dataset has ${existingTypes}. Import more such events, or create a project with a more frequent target_event_type.`,
    );
}

/** Throws a JobError if the algorithm can never train on this much data, however much memory the worker has. */
export function checkSize(algorithm: Algorithm, parameters: object, size: DataSize): void {
  const refusal = algorithm.refuse(size, parameters);
  if (refusal !== undefined) throw new JobError('MODEL_TOO_LARGE', refusal);
}

/** Turns an out-of-memory error into a JobError that says what to do; returns any other error unchanged. */
export function explainMemory(
  error: unknown,
  algorithm: Algorithm,
  parameters: object,
  size: DataSize,
): unknown {
  if (!isOutOfMemory(error)) return error;
  const { memoryAdvice } = algorithm;
  const doubt = isBeyondKernel(error) ? algorithm.doubt(size, parameters) : undefined;
  if (doubt !== undefined) return new JobError('MODEL_TOO_LARGE', doubt);
  const data = `${formatCount(size.events, 'event')} with ${formatCount(size.items, 'item')}`;
  return new JobError(
    'OUT_OF_MEMORY',
    `Training on ${data} does not fit into the memory of the worker. ${memoryAdvice}`,
  );
}
