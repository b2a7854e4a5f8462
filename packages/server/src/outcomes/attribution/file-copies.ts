import { rm } from 'node:fs/promises';
import { downloadObjects } from '../../kernel/files/local-files.ts';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { StoredFile } from '../rows/decision-files.ts';

interface FileCopiesContext {
  readonly store: Pick<ObjectStore, 'read'>;
  readonly folder: string;
  readonly stopping: AbortSignal;
  /** The disk space of all copies, unless one call of `paths` needs more. */
  readonly maxBytes: number;
}

/** Local copies of files that several steps of a run read. Removes those that were not used for longest. */
export class FileCopies {
  readonly #context: FileCopiesContext;
  /** Least recently used first. */
  readonly #copies = new Map<string, { readonly path: string; readonly size: number }>();
  #bytes = 0;

  constructor(context: FileCopiesContext) {
    this.#context = context;
  }

  /** The paths of copies of all the files. They stay until the next call. */
  async paths(files: readonly StoredFile[]): Promise<string[]> {
    const { store, folder, stopping: signal } = this.#context;
    const missing = files.filter(({ object_key }) => !this.#copies.has(object_key));
    await this.#makeRoom(files, missing);
    const objects = missing.map(({ object_key, size, sha256 }) => ({ object_key, expect: { size, sha256 } }));
    const copied = await downloadObjects(store, folder, objects, { mustExist: true, signal });
    const sizes = new Map(missing.map(({ object_key, size }) => [object_key, size]));
    for (const { object_key, path } of copied) this.add(object_key, path, sizes.get(object_key) ?? 0);
    return files.map(({ object_key }) => this.#use(object_key));
  }

  /** Takes a local file over as the copy of an object. */
  add(key: string, path: string, size: number): void {
    this.#copies.set(key, { path, size });
    this.#bytes += size;
  }

  #use(key: string): string {
    const copy = this.#copies.get(key);
    if (!copy) throw new Error('a file was not copied');
    this.#copies.delete(key);
    this.#copies.set(key, copy);
    return copy.path;
  }

  async #makeRoom(wanted: readonly StoredFile[], missing: readonly StoredFile[]): Promise<void> {
    const kept = new Set(wanted.map(({ object_key }) => object_key));
    const needed = missing.reduce((sum, { size }) => sum + size, 0);
    for (const [key, { path, size }] of this.#copies) {
      if (this.#bytes + needed <= this.#context.maxBytes) return;
      if (kept.has(key)) continue;
      this.#copies.delete(key);
      this.#bytes -= size;
      await rm(path, { force: true });
    }
  }
}
