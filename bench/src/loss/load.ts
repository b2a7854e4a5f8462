import { clientOf } from '../sdk-client.ts';
import type { Service } from '../service.ts';
import type { LossCell } from './cell.ts';
import { SteadyCalls } from './steady-calls.ts';

/** Longer than any call takes, also while a COMMIT waits for a standby that is gone. */
const callMs = 40_000;
const eventsPerWrite = 5;

type CallKind = 'writes' | 'reads' | 'recommendations';

/** Calls of every kind at once, and the IDs of the events that were acknowledged. */
export interface Load {
  readonly calls: Readonly<Record<CallKind, SteadyCalls>>;
  readonly acknowledged: readonly string[];
  readonly datasetId: string;
  stop(): Promise<void>;
}

export async function startLoad({ api, serving, prepared: { project_id, users } }: LossCell): Promise<Load> {
  const { event_dataset_id } = await clientOf(api).createEventDataset({ name: 'load', num_shards: 100 });
  const acknowledged: string[] = [];
  const postTo = async (service: Service, path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callMs),
    });
    return { status: response.status, text: await response.text() };
  };
  const [upsertPath, getPath, recommendPath] = [
    '/upsert-dataset-events',
    '/get-project',
    '/recommend-items-to-user',
  ];
  const headers = await api.headersFor(`${upsertPath} ${getPath}`);
  const servingHeaders = await serving.headersFor(recommendPath);
  const calls = {
    writes: new SteadyCalls(
      async (n) => {
        const events = Array.from({ length: eventsPerWrite }, (_, k) => ({
          event_id: `${n}-${k}`,
          user_id: users[n % users.length],
          item_id: `i${n % 100}`,
          ts: Date.now(),
          event_type: 'view',
        }));
        const { status } = await postTo(api, upsertPath, headers, { event_dataset_id, events });
        if (status === 200) acknowledged.push(...events.map(({ event_id }) => event_id));
        return { status };
      },
      { loops: 4, pauseMs: 20 },
    ),
    reads: new SteadyCalls(
      async () => {
        const url = `${api.baseUrl}${getPath}?project_id=${project_id}`;
        const response = await fetch(url, { headers, signal: AbortSignal.timeout(callMs) });
        await response.arrayBuffer();
        return { status: response.status };
      },
      { loops: 2, pauseMs: 50 },
    ),
    recommendations: new SteadyCalls(
      async (n) => {
        const request = { project_id, user_id: users[n % users.length], limit: 10 };
        const { status, text } = await postTo(serving, recommendPath, servingHeaders, request);
        if (status !== 200) return { status };
        const { degraded } = JSON.parse(text) as { degraded: string[] };
        return { status, isDegraded: degraded.length > 0 };
      },
      { loops: 4, pauseMs: 20 },
    ),
  };
  return {
    calls,
    acknowledged,
    datasetId: event_dataset_id,
    async stop() {
      await Promise.all(Object.values(calls).map((one) => one.stop()));
    },
  };
}
