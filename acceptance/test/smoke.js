/**
 * The first steps with the SDK, in plain JavaScript without Node's APIs, so that it runs in any runtime. Returns the results;
 * see published-sdk.test.ts.
 *
 * @param {Record<string, any>} sdk the module
 * @param {{ baseUrl: string, apiKey: string, apiSecret: string }} access
 */
export async function smoke({ Tastegraph, NotFoundError }, access) {
  const client = new Tastegraph(access);
  const { event_dataset_id } = await client.createEventDataset({ name: 'smoke', num_shards: 1 });
  async function* events() {
    for (let n = 0; n < 2500; n++)
      yield { event_id: `e${n}`, user_id: 'u', item_id: `i${n}`, ts: n === 7 ? -1 : n, event_type: 'watch' };
  }
  const failures = [];
  const report = await client.importEvents(event_dataset_id, events(), {
    onFailure: (failure) => void failures.push(failure.index),
  });
  const { record_count } = await client.getEventDataset({ event_dataset_id });
  const missing = await client.getJob({ project_id: 'prj_0', job_id: 'job_0' }).catch((error) => error);
  const aborted = await client
    .listProjects({}, { signal: AbortSignal.abort(new Error('enough')) })
    .catch((error) => error.message);
  await client.deleteEventDataset({ event_dataset_id });
  const notFound = missing instanceof NotFoundError && [missing.code, missing.name, missing.requestId !== ''];
  return { report, failures, record_count, notFound, aborted };
}
