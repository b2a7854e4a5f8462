import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../stack/caller.ts';
import { runSql } from '../stack/database.ts';

/** One upsert of a writer. Its number is in the IDs that are new in it and in the value of every record. */
export interface Batch {
  readonly writer: number;
  readonly number: number;
  readonly ids: readonly string[];
  answered: boolean;
}

/** Later batches may overwrite the first half of each batch's new IDs; the rest stays unchanged. */
const newIds = 40;
const rewrittenIds = 20;

/** Upserts batch after batch, ignoring errors, and records what was acknowledged. */
export class CrashWriter {
  readonly batches: Batch[] = [];
  /** Responses by status; 0: the connection broke. */
  readonly answers = new Map<number, number>();
  /** Responses that no caller should ever get. */
  readonly unsound: string[] = [];
  readonly #caller: Caller;
  readonly #datasetId: string;
  readonly #writer: number;

  constructor(caller: Caller, datasetId: string, writer: number) {
    this.#caller = caller;
    this.#datasetId = datasetId;
    this.#writer = writer;
  }

  get answered(): number {
    return this.batches.filter((batch) => batch.answered).length;
  }

  async write(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const batch = this.#nextBatch();
      this.batches.push(batch);
      while (!(await this.#send(batch))) {
        await sleep(30);
        // Half of the failed batches are sent again, half are left in doubt.
        if (Math.random() < 0.5) break;
      }
    }
  }

  #nextBatch(): Batch {
    const number = this.batches.length;
    const ids = Array.from({ length: newIds }, (_, k) => idOf(this.#writer, number, k));
    const again = Array.from({ length: number > 0 ? rewrittenIds : 0 }, () => {
      // Mostly of the last few batches, which are the ones in doubt.
      const earlier = Math.max(0, number - 1 - Math.floor(Math.random() ** 3 * number));
      return idOf(this.#writer, earlier, Math.floor(Math.random() * (newIds / 2)));
    });
    return { writer: this.#writer, number, ids: [...new Set([...ids, ...again])], answered: false };
  }

  async #send(batch: Batch): Promise<boolean> {
    const { writer, number } = batch;
    const events = batch.ids.map((event_id) => ({
      event_id,
      user_id: `user-${number % 50}`,
      item_id: `item-${number}`,
      ts: number,
      event_type: 'view',
      event_value: number,
      attributes: { writer, batch: number },
    }));
    const answer = await this.#caller
      .ask('upsertDatasetEvents', { event_dataset_id: this.#datasetId, events })
      .catch(() => undefined);
    const status = answer?.status ?? 0;
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    if (answer === undefined) return false;
    if (status === 200) {
      batch.answered = true;
      const { succeed_ids, failed_ids } = answer.body;
      if (succeed_ids.join() !== batch.ids.join() || failed_ids.length > 0) {
        this.unsound.push(`batch ${number} answered ${succeed_ids.length} and ${failed_ids.length} failed`);
      }
      return true;
    }
    if (status !== 503 || answer.body.code !== 'UNAVAILABLE' || !answer.headers.has('retry-after')) {
      this.unsound.push(`${status} ${JSON.stringify(answer.body)}`);
    }
    return false;
  }
}

function idOf(writer: number, batch: number, k: number): string {
  return `w${writer}-b${batch}-${k}`;
}

/** The batch whose values each ID of the dataset has. */
export async function storedBatches(url: string, dataset: string): Promise<Map<string, number>> {
  const rows = await runSql<{ event_id: string; event_value: number }>(
    url,
    `SELECT event_id, event_value FROM events JOIN datasets USING (dataset_key) WHERE dataset_id = '${dataset}'`,
  );
  return new Map(rows.map((row) => [row.event_id, row.event_value]));
}

export interface Audit {
  readonly idsVerified: number;
  /** IDs that were acknowledged but are missing, or have values that no batch in question wrote last. */
  readonly lost: string[];
  /** Batches that are stored partially. */
  readonly partial: string[];
  /** IDs that were never sent. */
  readonly unknown: string[];
}

/** `stored` maps each ID to the batch whose values it has. A writer sends its batches one by one. */
export function audit(batches: readonly Batch[], stored: ReadonlyMap<string, number>): Audit {
  const writes = new Map<string, Batch[]>();
  for (const batch of batches) {
    for (const id of batch.ids) writes.set(id, [...(writes.get(id) ?? []), batch]);
  }
  const lost: string[] = [];
  let idsVerified = 0;
  for (const [id, by] of writes) {
    const lastAnswered = by.findLastIndex((batch) => batch.answered);
    const found = stored.get(id);
    const possible = by.slice(Math.max(0, lastAnswered)).map((batch) => batch.number);
    const fits = found === undefined ? lastAnswered < 0 : possible.includes(found);
    if (!fits) lost.push(`${id} holds ${found ?? 'nothing'}, not one of ${possible.join(', ')}`);
    if (lastAnswered >= 0) idsVerified++;
  }
  const partial = batches.filter(({ ids, number }) => {
    const isThere = ids.some((id) => stored.get(id) === number);
    return isThere && !ids.every((id) => (stored.get(id) ?? -1) >= number);
  });
  return {
    idsVerified,
    lost,
    partial: partial.map(({ writer, number }) => `writer ${writer}, batch ${number}`),
    unknown: [...stored.keys()].filter((id) => !writes.has(id)),
  };
}
