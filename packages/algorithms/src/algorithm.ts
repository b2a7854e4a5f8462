import type { AlgorithmType } from '@tastegraph/contract';
import type { FileVersions, ReadOptions } from './container.ts';
import type { Catalogue } from './data/catalogue.ts';
import type { Texts } from './data/texts.ts';
import type { Executor, Kernel } from './kernels/parallel.ts';
import type { Scorer } from './scorer.ts';
import type { ItemValues } from './taste/item-values.ts';
import type { ModelledUsers, PredictedShares } from './taste/shares.ts';
import type { TestReport, TrainingData, TypeWorth } from './training.ts';

/** What the data must contain, and what a training reads from it. */
export interface DataNeeds {
  /** Data with fewer users or items that have a target event is refused. */
  readonly targetUsers: number;
  readonly targetItems: number;
  /** With fewer target events or users, the data is reported as thin. */
  readonly thin: {
    readonly targetEvents: number;
    readonly targetUsers: number;
    readonly consequence: string;
  };
  /** Whether it learns from items that occur in the same user's history. If so, users with a single event teach it nothing. */
  readonly histories: boolean;
  /** Whether `TrainingData.events` must have `time`, which costs 4 bytes per event. */
  readonly eventTimes: boolean;
}

/** The size of the data, as far as it affects the cost of a training. */
export interface DataSize {
  readonly events: number;
  readonly users: number;
  readonly items: number;
}

export interface TrainingEstimate {
  readonly seconds: number;
  readonly memoryBytes: number;
  /** One sentence about where the numbers come from. */
  readonly basis: string;
}

/** An earlier training of the same algorithm, with the seconds of each stage. */
export interface PastTraining<Parameters> {
  readonly parameters: Parameters;
  readonly events: number;
  readonly seconds: Readonly<Record<'read' | 'search' | 'fit' | 'write', number>>;
}

export interface TrainOptions<Parameters> {
  /** The parameters that the developer fixed, checked against the algorithm's schema. The training chooses the others. */
  readonly parameters: Parameters;
  readonly names: Omit<Catalogue, 'itemIds'>;
  /** Attribute values of the items. The prior strength of affinities is chosen on them. */
  readonly values?: ItemValues | undefined;
  /** How much of its work a kernel has in memory at a time, beside the matrix. The model does not depend on it. */
  readonly windowBytes?: number | undefined;
  /** Checked whenever progress is reported; once aborted, the training throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** `fraction` of the whole training, from 0 to 1. */
  readonly onProgress?:
    | ((stage: 'searching' | 'fitting', fraction: number, message: string) => void)
    | undefined;
}

export interface TrainingReport extends TestReport {
  readonly heldOut: 'latest' | 'random';
  /** How many users the parameters were chosen on; `test.users` is how many they were tested on. */
  readonly validationUsers: number;
  /** If parameters were chosen on a sample of users: how many it has. */
  readonly sampledUsers?: number | undefined;
  /** What the other event types are worth; undefined if the algorithm uses only the target. */
  readonly otherTypes?: { readonly fade: number; readonly types: readonly TypeWorth[] } | undefined;
}

interface Trained {
  readonly model: Model;
  /** All parameters, in the developer's terms. */
  readonly parameters: object;
  readonly report: TrainingReport;
  /** How many events the model's prediction of an affinity counts as. */
  readonly priorStrength: number;
}

/** A model in memory. Never changes. */
export interface Model {
  readonly items: number;
  /** Memory that a scorer needs in addition to the model's file, in bytes. */
  readonly scorerBytes: number;
  /** The file in chunks, to be written as they are produced. The same model gives the same bytes. */
  encode(catalogue: Catalogue): Generator<Uint8Array<ArrayBuffer>, void>;
  /** All items, the most popular first. Sorting takes long: for a large model it runs in a worker thread. */
  popular(): Uint32Array;
  scorer(popular?: Uint32Array): Scorer;
  /** How many target events the training had of an item. Absent if the model does not know. */
  eventsOf?(item: number): number;
  /** The predictions that queries blend with observed behavior. Throws if the algorithm declines QUERYING. */
  shares(users: ModelledUsers): PredictedShares;
  /** The value of a typical target event, for context items, which count as target events. */
  readonly targetValue: number;
  /** By event type, for clustering. Empty if the algorithm declines CLUSTERING. */
  readonly typeWeights: readonly number[];
}

/** A model from its file. Its item IDs are still packed: unpacking a million takes about 100 ms. */
export interface PackedModel {
  readonly declines: Algorithm['declines'];
  readonly model: Model;
  readonly names: Omit<Catalogue, 'itemIds'>;
  readonly itemIds: Texts;
}

/** The analyses that use a model; an algorithm may decline them. */
type AnalysisType = 'QUERYING' | 'CLUSTERING';

/** What an algorithm may decline: an analysis, or to find similar items. */
type Declinable = AnalysisType | 'ITEMS_TO_ITEM';

/**
 * Everything the service needs from an algorithm. Its public description and the schema of its parameters are in
 * packages/contract/src/algorithms. `test/conformance.test.ts` tests every registered algorithm.
 */
export interface Algorithm<Parameters extends object = object> {
  readonly type: AlgorithmType;
  readonly needs: DataNeeds;
  /** Why the algorithm cannot do something, and what to do instead, as a sentence after "The model ". */
  readonly declines: Readonly<Partial<Record<Declinable, string>>>;
  /** The kernels that it runs on an executor. Threads look them up by name. */
  readonly kernels: readonly Kernel<never>[];
  /** The magic number (four letters, little-endian) and the versions that this release reads. */
  readonly file: FileVersions;
  /** What to do when a training runs out of memory. */
  readonly memoryAdvice: string;
  /** Event types that the parameters name. They are read even if other types are more frequent. */
  namedEventTypes(parameters: Parameters): readonly string[];
  /** Why a training of this size can never succeed, and what to change; undefined if it can. */
  refuse(size: DataSize, parameters: Parameters): string | undefined;
  /** Why a training of this size may fail, depending on the data, and what to change; undefined if it should not. */
  doubt(size: DataSize, parameters: Parameters): string | undefined;
  estimate(size: DataSize, parameters: Parameters): TrainingEstimate;
  /** How many seconds a training takes with these parameters and this many events, judging by an earlier one. */
  secondsLike(past: PastTraining<Parameters>, parameters: Parameters, events: number): number;
  /** The same data gives the same model on any executor. */
  train(data: TrainingData, executor: Executor, options: TrainOptions<Parameters>): Promise<Trained>;
  /** Reads in place: the model's arrays are views of `file`. Throws a ModelFileError. */
  decode(file: Uint8Array, options?: ReadOptions): Omit<PackedModel, 'declines'>;
}

/** Reports progress, and throws once the signal is aborted. */
export function reporter({
  signal,
  onProgress,
}: Pick<TrainOptions<object>, 'signal' | 'onProgress'>): NonNullable<TrainOptions<object>['onProgress']> {
  return (stage, fraction, message) => {
    signal?.throwIfAborted();
    onProgress?.(stage, fraction, message);
  };
}
