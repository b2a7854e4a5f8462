import {
  decodeSnapshot,
  type Model,
  readModel,
  type TasteSnapshot,
  type Texts,
} from '@tastegraph/algorithms';
import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { readWhole } from '../kernel/objects/body.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import type { ByteSource, ObjectStore, StoredObject } from '../kernel/objects/store.ts';
import type { ModelFile } from '../projects/rows/models.ts';
import type { AnalysisResult, AnalysisTask, ModelToAnalyse } from './protocol.ts';

/** Context of an analysis in its thread. */
export interface AnalysisContext {
  readonly model: Model;
  /** By item number. */
  readonly itemIds: Texts;
  readonly snapshot: TasteSnapshot;
  readonly record: ModelToAnalyse;
  readonly store: ObjectStore;
  /** Progress of the analysis alone, from 0 to 1. */
  readonly report: ThreadContext['report'];
  readonly signal: AbortSignal;
  /** Streams the next planned file to the store. */
  readonly write: (source: ByteSource) => Promise<void>;
}

/** Share of the progress for reading; a model takes about as long to read as to query. */
const readingShare = 0.3;

/** The work of an analysis thread: reads the model and its snapshot, runs the analysis, and writes its files. */
export async function analyse<Found>(
  run: (request: never, context: AnalysisContext) => Promise<Found>,
): Promise<void> {
  await runThreadWork<AnalysisResult<Found>>(async (task: AnalysisTask, { signal, report }) => {
    await using store = await openObjectStore(task.objects);
    const { model: record, keys, request } = task;
    const read = async ({ key, ...stored }: ModelFile) => readWhole(store, key, stored, signal);
    report('reading', 0, 'the model');
    const { model, itemIds } = readModel(await read(record.model));
    report('reading', readingShare / 2, 'the training snapshot');
    const snapshot = decodeSnapshot(await read(record.snapshot));

    const stored: StoredObject[] = [];
    const found = await run(request as never, {
      model,
      itemIds,
      snapshot,
      record,
      store,
      signal,
      report: (stage, fraction, message) =>
        report(stage, readingShare + (1 - readingShare) * fraction, message),
      async write(source) {
        const key = keys[stored.length];
        if (key === undefined) throw new Error('more files were written than expected');
        stored.push(await store.put(key, source, { signal }));
      },
    });
    return { stored, found };
  });
}

/** Late: the charts take longer to load than a query or a small clustering takes. */
export async function loadCharts() {
  const [charts, svg] = await Promise.all([import('@tastegraph/charts'), import('@tastegraph/charts/svg')]);
  return { ...charts, ...svg };
}
