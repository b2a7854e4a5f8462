import type { ObjectsSettings } from '../kernel/objects/open.ts';
import type { StoredObject } from '../kernel/objects/store.ts';
import type { ModelFiles, ModelSnapshot } from '../projects/rows/models.ts';

/** A file that an analysis will write. */
export interface PlannedFile {
  /** Last part of the object key. */
  readonly object_name: string;
  /** File name of the download. */
  readonly file_name: string;
  readonly content_type: string;
}

export interface ModelToAnalyse extends Omit<ModelFiles, 'snapshot'> {
  readonly snapshot: ModelSnapshot;
}

/** Input of an analysis thread. Structured-cloneable. */
export interface AnalysisTask {
  readonly objects: ObjectsSettings;
  readonly model: ModelToAnalyse;
  /** Keys of the files. */
  readonly keys: readonly string[];
  /** Defined in the analysis's own protocol.ts. */
  readonly request: object;
}

/** Result of an analysis, after all files are written. */
export interface AnalysisResult<Found> {
  readonly stored: readonly StoredObject[];
  readonly found: Found;
}
