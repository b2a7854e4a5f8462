import type { Handlers } from '../http/handlers.ts';
import { openDownloads } from '../jobs/downloads/downloads.ts';
import { openApi } from './api.ts';
import { openConsolePages } from './console-pages.ts';
import { startHttp } from './http.ts';
import { openObjects } from './objects.ts';
import type { Runtime } from './run.ts';
import { openServing } from './serving.ts';
import { runWorker } from './worker.ts';

/** All roles behind one address, for `npm run dev` and small installations. */
export async function startAllInOne(runtime: Runtime): Promise<string> {
  const objects = await openObjects(runtime);
  runWorker(runtime, objects);
  const { store } = objects;
  const downloads = await openDownloads(runtime.db, store, runtime.config.baseUrl);
  // An operation without a handler does not compile.
  const handlers: Required<Handlers> = {
    ...openApi(runtime, store, downloads),
    ...(await openServing(runtime, store)),
  };
  return startHttp(runtime, handlers, { downloads, consolePages: await openConsolePages(runtime) });
}
