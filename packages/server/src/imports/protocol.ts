import type { DatasetKind } from '@tastegraph/contract';
import type { ObjectsSettings } from '../kernel/objects/open.ts';

/** A file to import. */
export interface ImportFile {
  readonly object_key: string;
  /** As the developer knows it. */
  readonly path: string;
  readonly size: number;
}

/** Input of the import process. Structured-cloneable. */
export interface ImportTask {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly accountId: string;
  readonly kind: DatasetKind;
  readonly datasetId: string;
  readonly files: readonly ImportFile[];
  /** Of all files, decompressed. */
  readonly maxBytes: number;
  /** For the copy of a file, on the disk of the worker. */
  readonly folder: string;
  /** The object that lists the rejected records. */
  readonly rejectedKey: string;
  readonly columns: Readonly<Record<string, string>> | undefined;
  readonly eventType: string | undefined;
  readonly allowOldTs: boolean | undefined;
}

/** Result of an import, after everything is written. */
export interface ImportResult {
  readonly stored: { readonly size: number; readonly sha256: string };
  readonly recordCount: number;
  readonly rejectedCount: number;
  readonly message: string | null;
}
