import { type Config, ConfigError } from '../config.ts';
import type { Closers } from '../kernel/lib/closers.ts';
import { type ObjectsSettings, openObjectStore } from '../kernel/objects/open.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';

export interface Objects {
  readonly settings: ObjectsSettings;
  readonly store: ObjectStore;
}

/** Called once per process. */
export async function openObjects(config: Config, closers: Closers): Promise<Objects> {
  const { objects: settings } = config;
  if (!settings)
    throw new ConfigError(
      'OBJECTS_URL is not set. Set it to the same value for all processes, for example OBJECTS_URL=file:///var/lib/tastegraph/objects',
    );
  const store = await openObjectStore(settings);
  closers.add('object store', 5000, async () => store[Symbol.asyncDispose]());
  return { settings, store };
}
