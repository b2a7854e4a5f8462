import { submitNameOf } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { startHttp } from './http.ts';
import { jobDefinition, jobTypes, modules } from './modules.ts';
import type { Runtime } from './run.ts';

/** The handlers of all operations but recommendation calls. */
export async function openApi(runtime: Runtime): Promise<Handlers> {
  const handlers = await Promise.all(modules.map(async ({ api }) => (api ? (await api())(runtime) : {})));
  const submits = await Promise.all(
    jobTypes.map(async (type) => [submitNameOf(type), (await jobDefinition(type)).submit]),
  );
  return Object.assign({}, ...handlers, Object.fromEntries(submits)) as Handlers;
}

export async function startApi(runtime: Runtime): Promise<string> {
  return startHttp(runtime, await openApi(runtime));
}
