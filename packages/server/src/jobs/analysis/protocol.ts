import type { ObjectsSettings } from '../../storage/objects/open.ts';
import type { StoredObject } from '../../storage/objects/store.ts';
import type { ModelFiles, ModelSnapshot } from '../../storage/postgres/models.ts';

/** A file that an analysis will write. */
export interface PlannedFile {
  /** The last part of its key. */
  readonly object_name: string;
  /** What it is downloaded as. */
  readonly file_name: string;
  readonly content_type: string;
}

export interface AnalysedModel extends Omit<ModelFiles, 'snapshot'> {
  readonly snapshot: ModelSnapshot;
}

/** What the thread of an analysis is given: all of it can be copied from one thread to another. */
export interface AnalysisOrder {
  readonly objects: ObjectsSettings;
  readonly model: AnalysedModel;
  /** Where the files go. */
  readonly keys: readonly string[];
  /** As the analysis's own protocol has it. */
  readonly question: object;
}

/** What it comes to: the files are written, whole. */
export interface Analysis<Found> {
  readonly stored: readonly StoredObject[];
  readonly found: Found;
}
