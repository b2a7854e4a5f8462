import { apiHandlers } from './api.ts';
import { startHttp } from './http.ts';
import type { Runtime } from './run.ts';
import { openServing } from './serving.ts';
import { startWorker } from './worker.ts';

/** Everything behind one address: npm run dev, and small installations. */
export async function startAllInOne(runtime: Runtime): Promise<string> {
  await startWorker(runtime);
  return startHttp(runtime, { ...apiHandlers(runtime), ...(await openServing(runtime)) });
}
