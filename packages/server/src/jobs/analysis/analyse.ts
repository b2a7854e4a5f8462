import {
  type Catalogue,
  decodeModel,
  decodeSnapshot,
  type G1Model,
  type TasteSnapshot,
} from '@tastegraph/algorithms';
import { openObjectStore } from '../../storage/objects/open.ts';
import { readWhole } from '../../storage/objects/read-whole.ts';
import type { ByteSource, ObjectStore, StoredObject } from '../../storage/objects/store.ts';
import type { ModelFile } from '../../storage/postgres/models.ts';
import { doThreadWork, type ThreadTools } from '../engine/thread-work.ts';
import type { AnalysedModel, Analysis, AnalysisOrder } from './protocol.ts';

/** What an analysis works with, in its thread. */
export interface Analysing {
  readonly model: G1Model;
  readonly catalogue: Catalogue;
  readonly snapshot: TasteSnapshot;
  readonly record: AnalysedModel;
  readonly store: ObjectStore;
  /** Of the analysis alone, from 0 to 1. */
  readonly report: ThreadTools['report'];
  readonly signal: AbortSignal;
  /** Writes the next of the files that were planned, as it comes. */
  readonly write: (source: ByteSource) => Promise<void>;
}

/** Reading a model takes about as long as asking it. */
const readingShare = 0.3;

/** The work of an analysis's thread: the model and its snapshot are read, asked, and the files written. */
export async function analyse<Found>(
  ask: (question: never, analysing: Analysing) => Promise<Found>,
): Promise<void> {
  await doThreadWork<Analysis<Found>>(async (order: AnalysisOrder, { signal, report }) => {
    await using store = await openObjectStore(order.objects);
    const { model: record, keys, question } = order;
    const read = async ({ key, ...stored }: ModelFile) => readWhole(store, key, stored, signal);
    report('reading', 0, 'the model');
    const { model, catalogue } = decodeModel(await read(record.model));
    report('reading', readingShare / 2, 'what it was trained on');
    const snapshot = decodeSnapshot(await read(record.snapshot));

    const stored: StoredObject[] = [];
    const found = await ask(question as never, {
      ...{ model, catalogue, snapshot, record, store, signal },
      report: (stage, fraction, message) =>
        report(stage, readingShare + (1 - readingShare) * fraction, message),
      async write(source) {
        const key = keys[stored.length];
        if (key === undefined) throw new Error('more files were written than planned');
        stored.push(await store.put(key, source, { signal }));
      },
    });
    return { stored, found };
  });
}
