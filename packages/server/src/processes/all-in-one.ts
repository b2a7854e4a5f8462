import { openApi } from './api.ts';
import { startHttp } from './http.ts';
import { requireComplete } from './modules.ts';
import type { Runtime } from './run.ts';
import { openServing } from './serving.ts';
import { startWorker } from './worker.ts';

/** All roles behind one address, for `npm run dev` and small installations. */
export async function startAllInOne(runtime: Runtime): Promise<string> {
  await startWorker(runtime);
  const serving = await openServing(runtime);
  requireComplete(serving);
  return startHttp(runtime, { ...(await openApi(runtime)), ...serving });
}
