import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type TreeCost, watchTrees } from './watch-tree.ts';

/** What a peer's program prints as JSON. */
interface PeerLists {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** How many settings were compared on the validation part. */
  readonly tried: number;
  readonly lists: Readonly<Record<string, readonly number[]>>;
}

export interface PeerRun extends PeerLists, TreeCost {
  readonly seconds: number;
}

/** Runs a program that tunes, trains and recommends, and measures what it and its descendants use. */
export async function runPeer(command: string, args: readonly string[]): Promise<PeerRun> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  const watched = watchTrees(child.pid === undefined ? [] : [child.pid]);
  const [output, code] = await Promise.all([text(child.stdout), ended]).finally(() => watched.stop());
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${code}.`);
  const seconds = (performance.now() - started) / 1000;
  return { ...(JSON.parse(output) as PeerLists), ...watched.stop(), seconds };
}
