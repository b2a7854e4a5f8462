import { once } from 'node:events';
import { connect } from 'node:net';
import { findFreePort } from '@tastegraph/dev';
import { cpuSeconds } from '../cpu.ts';
import type { Service } from '../service.ts';
import { type LoopDelays, maxDelays, noDelays } from './loop-probe.ts';

const probe = new URL('./loop-probe.ts', import.meta.url).href;

/** The processes under test, each with a probe of its event loop. */
export interface Cell extends AsyncDisposable {
  readonly api: Service;
  readonly serving: Service;
  /** The longest delays over all processes since the previous call. */
  loopDelays(): Promise<LoopDelays>;
  /** CPU seconds of all processes so far. */
  cpuSeconds(): number;
}

export type Topology = 'all-in-one' | 'split';

/** Starts the processes of a cell on the database of `base`. */
export async function startCell(
  base: Service,
  topology: Topology,
  own: Readonly<Record<string, string>>,
): Promise<Cell> {
  await using opening = new AsyncDisposableStack();
  const ports: number[] = [];
  const open = async (role: 'api' | 'serving' | 'all-in-one') => {
    const port = await findFreePort();
    ports.push(port);
    const settings = { ...own, LOOP_PROBE_PORT: String(port), NODE_OPTIONS: `--import=${probe}` };
    return opening.use(await base.startAnother(role, settings));
  };
  const api = await open(topology === 'split' ? 'api' : 'all-in-one');
  const serving = topology === 'split' ? await open('serving') : api;
  const pids = [api.pid, serving.pid];
  if (topology === 'split') pids.push(opening.use(base.startWorker()).pid);
  const opened = opening.move();
  return {
    api,
    serving,
    loopDelays: async () => {
      return (await Promise.all(ports.map(readDelays))).reduce(maxDelays, noDelays);
    },
    cpuSeconds: () => [...new Set(pids)].reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function readDelays(port: number): Promise<LoopDelays> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'end');
  return JSON.parse(text) as LoopDelays;
}
