import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import { encodeRequest, RawClient } from '../serve/raw-client.ts';

export interface AttackOptions {
  readonly apiPort: number;
  readonly servingPort: number;
  readonly headers: Record<string, string>;
  readonly key: { readonly api_key: string; readonly api_secret: string };
  readonly project_id: string;
  readonly algorithm_id: string;
  readonly item_dataset_id: string;
  readonly event_dataset_id: string;
  /** Datasets for attacks only; no project uses them. */
  readonly wide_dataset_id: string;
  readonly hot_dataset_id: string;
  /** A file to import. */
  readonly import_path: string;
  /** Projects without a model, each with a large catalogue. */
  readonly catalogue_projects: readonly string[];
}

/** How many responses had each status; 0 stands for a closed connection. */
export type StatusCounts = Record<number, number>;

interface AttackContext {
  readonly stopping: AbortSignal;
  readonly count: (status: number) => void;
}

/** Runs until it is stopped. Its requests are prepared in advance. */
type Attack = (context: AttackContext) => Promise<void>;

/** Repeats the requests until the attack is stopped, abandons calls in flight, and reconnects if the server closes a connection. */
async function repeatRequests(
  context: AttackContext,
  port: number,
  connections: number,
  requests: readonly Buffer[],
): Promise<void> {
  const { stopping } = context;
  const stopped = once(stopping, 'abort').then(() => undefined);
  const runConnection = async (first: number) => {
    let client: RawClient | undefined;
    for (let n = first; !stopping.aborted; n++) {
      try {
        client ??= await RawClient.open(port);
        const response = await Promise.race([client.call(requests[n % requests.length] as Buffer), stopped]);
        if (!response) break;
        context.count(response.status);
        // A well-behaved client would wait longer.
        if (response.status === 429 || response.status === 503) await sleep(10);
      } catch {
        context.count(0);
        client?.close();
        client = undefined;
        await sleep(10);
      }
    }
    client?.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => runConnection(n)));
}

/** Asks a serving process over 16 connections; the n-th question has these fields. */
const ask =
  (path: string, fieldsOf: (n: number) => object, questions = 64) =>
  ({ headers, project_id, servingPort }: AttackOptions): Attack => {
    const requests = Array.from({ length: questions }, (_, n) =>
      encodeRequest(path, headers, { project_id, ...fieldsOf(n) }),
    );
    return (context) => repeatRequests(context, servingPort, 16, requests);
  };

const nestedFilter = 'item.tags.exists(a, item.tags.exists(b, a + b == "no such"))';
const manyValues = Array.from({ length: 300 }, (_, n) => `"value${n}"`).join(', ');
const listFilter = `item.tags.exists(a, a in [${manyValues}])`;

/** Filters on one after the other of many catalogues, which together need more memory than there is for mirrors. */
function mirrors({ headers, catalogue_projects, servingPort }: AttackOptions): Attack {
  const requests = catalogue_projects.flatMap((project_id) =>
    [1, 2, 3, 4].map((n) =>
      encodeRequest('/find-items', headers, { project_id, filter_query: `item.price == ${n}.5`, limit: 100 }),
    ),
  );
  return (context) => repeatRequests(context, servingPort, 16, requests);
}

/** The most expensive filters that CEL allows, on items with 350 tags. Nothing matches, so every item is evaluated. */
const filters = ask('/recommend-items-to-user', (n) => ({
  user_id: `u${1 + n}`,
  limit: limits.recommendMax,
  filter_query: `${n % 2 === 0 ? nestedFilter : listFilter} || item.price == ${n}.5`,
}));

const itemsFrom = (n: number, count: number) =>
  Array.from({ length: count }, (_, place) => `i${1 + n * 37 + place}`);

/** Calls with as many context items and exclusions as allowed, each with its own. */
const contexts = ask('/recommend-items-to-user', (n) => ({
  user_id: `u${1 + n}`,
  limit: limits.recommendMax,
  context_items: itemsFrom(n, limits.contextItems),
  exclude_item_ids: itemsFrom(n + 100, limits.excludedItems),
}));

/** The largest baskets. */
const baskets = ask('/recommend-items-to-item', (n) => ({
  item_ids: itemsFrom(n, limits.basketItems),
  user_id: `u${1 + n}`,
  limit: limits.recommendMax,
}));

/** The longest lists to rank, with large attributes and explanations. */
const rankings = ask('/rank-items-for-user', (n) => ({
  user_id: `u${1 + n}`,
  item_ids: itemsFrom(n, limits.rankedItems),
  attributes: ['tags'],
  explain: true,
}));

/** Another window in each call, so that no list of popular items can be reused. */
const windows = ask(
  '/recommend-popular-items',
  (n) => ({
    window_hours: 1 + ((n * 97) % limits.windowHoursMax),
    limit: limits.recommendMax,
    attribute: 'category',
    value: 'no such',
  }),
  512,
);

const oneEvent = (n: number, attributes: object) => ({
  event_id: `e${n}`,
  user_id: `u${n}`,
  item_id: 'i1',
  ts: 1_700_000_000_000 + n,
  event_type: 'view',
  attributes,
});

const bombMember = gzipSync(Buffer.alloc(1 << 24, 32));

/** Valid batches of nearly 32 MiB, and gzip bodies that decompress to one gigabyte. */
function bodies({ headers, hot_dataset_id: event_dataset_id, apiPort }: AttackOptions): Attack {
  const room = Math.min(limits.eventBytes, limits.bodyBytes / limits.recordsPerCall) - 400;
  const events = Array.from({ length: limits.recordsPerCall }, (_, n) =>
    oneEvent(n, { text: String.fromCharCode(97 + (n % 26)).repeat(room) }),
  );
  const batch = encodeRequest('/upsert-dataset-events', headers, { event_dataset_id, events });
  // One gigabyte: 64 gzip members of 16 MiB.
  const bomb = Buffer.concat(Array.from({ length: 64 }, () => bombMember));
  const head = encodeRequest('/upsert-dataset-events', { ...headers, 'content-encoding': 'gzip' }, {})
    .toString('latin1')
    .replace(/content-length: \d+\r\n\r\n.*$/s, `content-length: ${bomb.length}\r\n\r\n`);
  const bombs = [Buffer.concat([Buffer.from(head, 'latin1'), bomb])];
  return async (context) => {
    await Promise.all([
      repeatRequests(context, apiPort, 4, [batch]),
      repeatRequests(context, apiPort, 4, bombs),
    ]);
  };
}

/** Sockets that announce 32 MiB and send one byte per second. */
function slow({ headers, apiPort }: AttackOptions): Attack {
  const head = encodeRequest('/upsert-dataset-events', headers, {})
    .toString('latin1')
    .replace(/content-length: \d+\r\n\r\n.*$/s, `content-length: ${limits.bodyBytes}\r\n\r\n{"events": [`);
  const runSocket = async (context: AttackContext) => {
    while (!context.stopping.aborted) {
      const socket = connect(apiPort, '127.0.0.1');
      socket.on('error', () => undefined);
      const isOpen = () => !socket.closed && !context.stopping.aborted;
      socket.on('close', () => context.count(0));
      await once(socket, 'connect').catch(() => undefined);
      socket.write(head);
      while (isOpen()) {
        await sleep(1000);
        socket.write(' ');
      }
      socket.destroy();
    }
  };
  return async (context) => {
    await Promise.all(Array.from({ length: 200 }, () => runSocket(context)));
  };
}

/** Items of the maximum size, written repeatedly, and recommendations that request all their attributes. */
function wide(options: AttackOptions): Attack {
  const { headers, wide_dataset_id: item_dataset_id, project_id, apiPort, servingPort } = options;
  const tags = Math.floor((limits.userOrItemBytes - 500) / 12);
  const perCall = Math.min(
    limits.recordsPerCall,
    Math.floor((limits.bodyBytes - 1000) / (limits.userOrItemBytes + 20)),
  );
  const batches = [0, 1].map((turn) => {
    const items = Array.from({ length: perCall }, (_, n) => ({
      item_id: `wide${n}`,
      attributes: { tags: Array.from({ length: tags }, (_, tag) => `tag-${(tag * 7 + turn) % 100_000}`) },
    }));
    return encodeRequest('/upsert-dataset-items', headers, { item_dataset_id, items });
  });
  const requests = Array.from({ length: 64 }, (_, n) =>
    encodeRequest('/recommend-items-to-user', headers, {
      project_id,
      user_id: `u${1 + n}`,
      limit: limits.recommendMax,
      attributes: ['tags', 'title', 'price'],
    }),
  );
  return async (context) => {
    await Promise.all([
      repeatRequests(context, apiPort, 4, batches),
      repeatRequests(context, servingPort, 8, requests),
    ]);
  };
}

/** 100 connections that write the same 1,000 IDs. */
function hot({ headers, hot_dataset_id: event_dataset_id, apiPort }: AttackOptions): Attack {
  const requests = Array.from({ length: 10 }, (_, turn) => {
    const events = Array.from({ length: 1000 }, (_, n) => oneEvent(n, { turn }));
    return encodeRequest('/upsert-dataset-events', headers, { event_dataset_id, events });
  });
  return (context) => repeatRequests(context, apiPort, 100, requests);
}

function surveys({ headers, project_id, algorithm_id, apiPort }: AttackOptions): Attack {
  const request = encodeRequest('/check-training', headers, { project_id, algorithm_id });
  return (context) => repeatRequests(context, apiPort, 16, [request]);
}

const jobs = ({ project_id, algorithm_id, ...options }: AttackOptions): Attack =>
  runJobs(options, project_id, '/submit-training-job', { algorithm_id });
/** Of a file of 100,000 events. */
const imports = ({ project_id, event_dataset_id, import_path: path, ...options }: AttackOptions): Attack =>
  runJobs(options, project_id, '/submit-import-job', { event_dataset_id, path });

/** Sixty jobs, canceled at the end. */
function runJobs(
  { headers, apiPort }: Pick<AttackOptions, 'headers' | 'apiPort'>,
  project_id: string,
  submitPath: string,
  fields: object,
): Attack {
  return async ({ stopping, count }) => {
    const client = await RawClient.open(apiPort);
    const call = async (path: string, body: object) => {
      const { status, body: text } = await client.call(encodeRequest(path, headers, body));
      count(status);
      return JSON.parse(text) as { job_id?: string };
    };
    const submitted: string[] = [];
    for (let n = 0; n < 60 && !stopping.aborted; n++) {
      const { job_id } = await call(submitPath, { project_id, ...fields, name: `j${n}` });
      if (job_id) submitted.push(job_id);
    }
    if (!stopping.aborted) await once(stopping, 'abort');
    for (const job_id of submitted) await call('/cancel-job', { project_id, job_id });
    client.close();
    // A worker notices at its next heartbeat that its job was canceled.
    await sleep(6000);
  };
}

function tokens({ key, apiPort }: AttackOptions): Attack {
  const form = (secret: string) => {
    const body = `client_id=${key.api_key}&client_secret=${secret}&scope=/get-project&grant_type=client_credentials`;
    return Buffer.from(
      `POST /oauth/token HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
  };
  const requests = [form(key.api_secret), form('wrong')];
  return (context) => repeatRequests(context, apiPort, 32, requests);
}

const single = {
  imports,
  filters,
  mirrors,
  contexts,
  baskets,
  rankings,
  windows,
  bodies,
  slow,
  wide,
  hot,
  surveys,
  jobs,
  tokens,
};
export type AttackName = keyof typeof single | 'all';
export const attackNames = [...Object.keys(single), 'all'] as AttackName[];

/** Prepares an attack. Each run of it continues until `stopping`, then cleans up. */
export function prepareAttack(
  name: AttackName,
  options: AttackOptions,
): (stopping: AbortSignal) => Promise<StatusCounts> {
  const chosen = name === 'all' ? Object.values(single) : [single[name]];
  const attacks = chosen.map((prepare) => prepare(options));
  return async (stopping) => {
    const statusCounts: StatusCounts = {};
    const count = (status: number) => {
      statusCounts[status] = (statusCounts[status] ?? 0) + 1;
    };
    await Promise.all(attacks.map((run) => run({ stopping, count })));
    return statusCounts;
  };
}
