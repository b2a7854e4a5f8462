import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLists, requireData } from '../quality/data.ts';
import { measure } from '../quality/measure.ts';
import { formatScore } from '../quality/outcome.ts';
import type { Report } from '../report.ts';
import { runGorse, searchMinutes } from './gorse.ts';
import { listLength, type ProductRun } from './product.ts';
import { runPeer } from './run-peer.ts';
import { runTastegraph } from './tastegraph.ts';

const dataSets = ['ml-1m-lcfn', 'gowalla', 'yelp2018', 'amazon-cds'];
const libraries = ['implicit-bm25', 'implicit-als', 'ease', 'spark-als'];
const peers = ['g1', ...libraries, 'tastegraph', 'gorse'];
export const peerParts = [...dataSets, ...peers];
/** EASE needs several dense matrices of all pairs of items. */
const maxEaseItems = 15_000;

const python = process.env['PEERS_PYTHON'] ?? 'python3';
const gorse = process.env['GORSE_BIN'];
/** Of Spark. */
const java = process.env['JAVA_HOME'] === undefined ? 'java' : join(process.env['JAVA_HOME'], 'bin/java');

/**
 * G1 beside what people would use instead, in one run: the same train and test part, every choice made on the train part by
 * each one itself, all items as candidates, and the lists scored by the same code.
 */
export async function benchPeers(quick: boolean, parts: readonly string[]): Promise<Report> {
  const data = parts.find((part) => dataSets.includes(part)) ?? 'ml-1m-lcfn';
  requireData([data]);
  const named = parts.filter((part) => peers.includes(part));
  const chosen = named.length > 0 ? named : quick ? ['g1', 'implicit-bm25', 'ease'] : peers;
  const known = readLists(`${data}/train.txt`);
  const questions = [...readLists(`${data}/test.txt`)].map(([user, relevant]) => ({
    user,
    items: known.get(user) ?? [],
    relevant,
  }));
  const items = new Set([...known.values()].flat()).size;
  const leftOut: Record<string, string> = {};
  const rows: Report['tables'][number]['rows'][number][] = [];
  const products: Report['tables'][number]['rows'][number][] = [];
  const figures: Record<string, unknown> = { data };
  const scoreOf = (lists: ReadonlyMap<number, readonly number[]>) =>
    measure(questions, listLength, ({ user }) => lists.get(user) ?? []);

  await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-peers-'));
  const file = join(folder.path, 'train.txt');
  await writeFile(file, [...known].map(([user, list]) => [user, ...list].join(' ')).join('\n'));
  for (const name of chosen.filter((one) => one === 'g1' || libraries.includes(one))) {
    const reason = name === 'g1' ? undefined : whyNot(name, items);
    if (reason !== undefined) {
      leftOut[name] = reason;
      continue;
    }
    console.error(`peers: ${name}`);
    const run = await (name === 'g1'
      ? runPeer(process.execPath, [fileURLToPath(new URL('./g1.ts', import.meta.url)), file])
      : runPeer(python, [fileURLToPath(new URL('./peers.py', import.meta.url)), name, file]));
    const { lists, parameters, tried, seconds, cpuSeconds, peakBytes } = run;
    const { recall, ndcg } = scoreOf(
      new Map(Object.entries(lists).map(([user, list]) => [Number(user), list])),
    );
    rows.push({
      what: name === 'g1' ? 'G1, {}' : name,
      'Recall@20': formatScore(recall),
      'NDCG@20': formatScore(ndcg),
      'settings tried': tried,
      'wall s': seconds,
      'CPU s': cpuSeconds,
      'peak MB': Math.round(peakBytes / 1e6),
    });
    figures[name] = { recall, ndcg, parameters, tried, seconds, cpuSeconds, peakBytes };
  }
  const addProduct = (name: string, run: ProductRun) => {
    const { lists, ...cost } = run;
    const { recall, ndcg } = scoreOf(lists);
    products.push({
      what: name,
      'import s': run.importSeconds,
      'first lists s': run.firstSeconds,
      'Recall@20': formatScore(recall),
      'NDCG@20': formatScore(ndcg),
      'calls/s': Math.round(run.perSecond),
      'p99 ms': run.p99Ms,
      'CPU s': run.cpuSeconds,
      'MB while serving': Math.round(run.residentBytes / 1e6),
    });
    figures[name] = { recall, ndcg, ...cost };
  };
  if (chosen.includes('tastegraph')) {
    console.error('peers: tastegraph');
    addProduct('Tastegraph, {}', await runTastegraph(known));
  }
  if (chosen.includes('gorse')) {
    if (gorse === undefined) leftOut['gorse'] = 'GORSE_BIN is not set to a binary of gorse-in-one';
    else {
      console.error('peers: gorse');
      const { first, searched } = await runGorse(gorse, known);
      addProduct('Gorse, first lists', first);
      if (searched) addProduct('Gorse, after its search', searched);
      else
        leftOut['Gorse, after its search'] =
          `it took longer than ${searchMinutes} minutes; set GORSE_MINUTES`;
    }
  }
  for (const [name, reason] of Object.entries(leftOut)) console.error(`left out: ${name}: ${reason}`);
  const best = Math.max(...rows.filter(({ what }) => what !== 'G1, {}').map((row) => Number(row['NDCG@20'])));
  const ours = rows.find(({ what }) => what === 'G1, {}');
  return {
    bench: 'peers',
    tables: [
      ...(rows.length > 0
        ? [{ title: `Tuning, training and lists for ${known.size} users, ${data}`, rows }]
        : []),
      ...(products.length > 0 ? [{ title: 'As a service, over HTTP', rows: products }] : []),
    ],
    goals:
      ours && Number.isFinite(best)
        ? [
            {
              text: `NDCG@20 of G1 at least that of the best library: ${ours['NDCG@20']}, ${formatScore(best)}`,
              reached: Number(ours['NDCG@20']) >= best,
            },
          ]
        : [],
    figures: { ...figures, left_out: leftOut },
  };
}

/** Why a library cannot run here, with what to do about it. */
function whyNot(name: string, items: number): string | undefined {
  if (name === 'ease' && items > maxEaseItems)
    return `its dense matrices of ${items} items do not fit into memory`;
  const modules = name === 'spark-als' ? 'pyspark, numpy, scipy' : 'implicit, numpy, scipy';
  try {
    execFileSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' });
    if (name === 'spark-als') execFileSync(java, ['-version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    const also = name === 'spark-als' ? ' and Java' : '';
    return `needs Python with ${modules}${also}; set PEERS_PYTHON to an interpreter that has them`;
  }
}
