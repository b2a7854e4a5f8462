import { ConfigError } from '../config.ts';
import { type ObjectsSettings, openObjectStore } from '../kernel/objects/open.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Runtime } from './run.ts';

export interface Objects {
  readonly settings: ObjectsSettings;
  readonly store: ObjectStore;
}

/** Called once per process. */
export async function openObjects({ config, closers }: Runtime): Promise<Objects> {
  const { objects: settings } = config;
  if (!settings)
    throw new ConfigError(
      'OBJECTS_URL is not set. Set it to the same value for all processes, for example OBJECTS_URL=file:///var/lib/tastegraph/objects',
    );
  const store = await openObjectStore(settings);
  closers.add('object store', 5000, async () => store[Symbol.asyncDispose]());
  return { settings, store };
}
