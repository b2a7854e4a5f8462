import { openApi } from './api.ts';
import { startHttp } from './http.ts';
import { openObjects } from './objects.ts';
import type { Runtime } from './run.ts';
import { openServing } from './serving.ts';
import { runWorker } from './worker.ts';

/** Everything behind one address: npm run dev, and small installations. */
export async function startAllInOne(runtime: Runtime): Promise<string> {
  const objects = await openObjects(runtime);
  runWorker(runtime, objects);
  const { store } = objects;
  const handlers = { ...openApi(runtime, store), ...(await openServing(runtime, store)) };
  return startHttp(runtime, handlers, store);
}
