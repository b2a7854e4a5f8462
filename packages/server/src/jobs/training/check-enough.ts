import { countTargets, type Interactions } from '@tastegraph/algorithms';
import { inWords } from '../../lib/wording.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';
import { JobError } from '../job-error.ts';
import type { EventTypes } from './event-types.ts';

/** With one user or one item there is nothing to compare. */
const fewest = 2;

/** Throws a JobError that says what there is instead when there is nothing to learn the target from. */
export function checkEnough(events: Interactions, types: EventTypes, source: TrainingSource): void {
  const target = JSON.stringify(source.target_event_type);
  const { dataset_id } = source.events;
  const held = types.summary();
  if (held === '')
    throw new JobError(
      'NO_TARGET_EVENTS',
      `There are no events in dataset ${dataset_id}. Import events of type ${target}, then train again.`,
    );
  if (types.targetCount === 0)
    throw new JobError(
      'NO_TARGET_EVENTS',
      `There are no events of type ${target} in dataset ${dataset_id}; it holds ${held}. Import such events, or create a project whose target_event_type is one of them.`,
    );
  const { users, items } = countTargets(events);
  if (users < fewest || items < fewest)
    throw new JobError(
      'TOO_LITTLE_DATA',
      `Events of type ${target} with an event_value above 0 are there of ${inWords(users, 'user')} and ${inWords(items, 'item')} in dataset ${dataset_id}, and a model needs at least ${fewest} of each; it holds ${held}. Import more such events, or create a project whose target_event_type is one that more users have.`,
    );
}
