import { LRUCache } from 'lru-cache';
import { uniformOf } from '../kernel/lib/hashes.ts';
import { parseJson } from '../kernel/lib/json.ts';
import type { CallClock } from '../serving/call-clock.ts';
import type { AssignedVariant, CallVariants, Participant } from '../serving/ports.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import type { LiveReads } from '../serving/state/live-reads.ts';
import { readExperiment, type ServedVariant } from './rows/experiments.ts';

/** Each has up to five settings of 64 KiB. */
const maxKnown = 200;
/** Share of the remaining time for the read; the rest is for responding. */
const readShare = 0.3;

type KnownVariant = AssignedVariant & { readonly share: number };

/** Assigns calls to variants. A running experiment never changes, so each process reads it once. */
export class Experiments implements CallVariants {
  readonly #reads: LiveReads;
  readonly #known = new LRUCache<string, Promise<readonly KnownVariant[]>>({ max: maxKnown });

  constructor(reads: LiveReads) {
    this.#reads = reads;
  }

  /** Undefined if the call is not part of an experiment. One that cannot be read is left out, and the response says so. */
  async assign(call: Participant): Promise<AssignedVariant | undefined> {
    const { project, experimentId, userId, modelId, clock, degraded } = call;
    if (!experimentId || userId === undefined || modelId !== undefined) return undefined;
    try {
      const variants = await clock.within('experiment', this.#find(project, experimentId, clock), readShare);
      return variantAt(variants, placeOf(experimentId, userId));
    } catch (error) {
      degraded.push({ part: 'experiment', error });
      return undefined;
    }
  }

  async #find(
    project: ServedProject,
    experimentId: string,
    clock: CallClock,
  ): Promise<readonly KnownVariant[]> {
    const known = this.#known.get(experimentId);
    if (known) return known;
    const { db } = this.#reads.forCall(project, clock.endMs);
    const read = readExperiment(db, project, experimentId).then((variants) =>
      variants.map((variant) => toKnown(experimentId, variant)),
    );
    this.#known.set(experimentId, read);
    const forget = () => this.#known.delete(experimentId);
    // Empty if it was stopped, or if a replica does not have it yet.
    read.then((variants) => variants.length === 0 && forget(), forget);
    return read;
  }
}

function toKnown(experimentId: string, variant: ServedVariant): KnownVariant {
  const { name, share, generator, ranker, scenario_version, settings } = variant;
  return {
    experiment_id: experimentId,
    name,
    share,
    generator: generator ?? undefined,
    ranker,
    scenario:
      scenario_version === null || settings === null
        ? undefined
        : { version: scenario_version, settings: parseJson(settings) as object },
  };
}

/** Always the same for a user, 0 to 1, and independent between experiments: the first six bytes of a SHA-256 of both IDs. */
export function placeOf(experimentId: string, userId: string): number {
  return uniformOf(`${experimentId}/${userId}`);
}

/** The variant whose part of 0 to 1 holds the place, in their order. Undefined beyond the sum of all shares. */
export function variantAt<Variant extends { readonly share: number }>(
  variants: readonly Variant[],
  place: number,
): Variant | undefined {
  let end = 0;
  for (const variant of variants) {
    end += variant.share;
    if (place < end) return variant;
  }
  // Three thirds add up to a little less than 1.
  return end > 1 - 1e-9 ? variants.at(-1) : undefined;
}
