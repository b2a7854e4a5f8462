import { benchAnalyse } from './analyse/bench.ts';
import { benchBatch } from './batch/bench.ts';
import { benchConsole } from './console/bench.ts';
import { benchExperiments } from './experiments/bench.ts';
import { benchFreshness } from './freshness/bench.ts';
import { benchIngest } from './ingest/bench.ts';
import { benchKafka } from './kafka/bench.ts';
import { benchLoss } from './loss/bench.ts';
import { attackNames } from './neighbours/attacks.ts';
import { benchNeighbours } from './neighbours/bench.ts';
import { benchOutcomes } from './outcomes/bench.ts';
import { benchPeers, peerParts } from './peers/bench.ts';
import { benchQuality, qualityParts } from './quality/bench.ts';
import type { Report } from './report.ts';
import { printReport } from './report.ts';
import { benchServe } from './serve/bench.ts';
import { benchTenants } from './tenants/bench.ts';
import { benchTrain } from './train/bench.ts';

/** `quick` is for CI: less data, and goals that noise on a shared machine does not miss. `parts` selects what to run. */
const benches: Record<string, (quick: boolean, parts: readonly string[]) => Promise<Report>> = {
  ingest: benchIngest,
  quality: benchQuality,
  train: benchTrain,
  serve: benchServe,
  freshness: benchFreshness,
  kafka: benchKafka,
  neighbours: benchNeighbours,
  loss: benchLoss,
  tenants: benchTenants,
  analyse: benchAnalyse,
  batch: benchBatch,
  experiments: benchExperiments,
  outcomes: benchOutcomes,
  peers: benchPeers,
  console: benchConsole,
};

/** Of the benchmarks that have parts. Those of `train` have no list: data sets and numbers of events. */
const partsOf: Record<string, readonly string[]> = {
  quality: qualityParts,
  serve: ['low-rank', 'new-items'],
  neighbours: attackNames,
  tenants: ['routing'],
  outcomes: ['uplift', 'volume'],
  peers: peerParts,
};

const [name = '', ...flags] = process.argv.slice(2);
const parts = flags.filter((flag) => !flag.startsWith('--'));
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
const known = partsOf[name] ?? [];
const unknown = name === 'train' ? [] : parts.filter((part) => !known.includes(part));
if (!bench) {
  console.error(
    `Usage: npm run bench -- NAME [PART…] [--quick]\nBenchmarks: ${Object.keys(benches).join(', ')}`,
  );
  process.exitCode = 2;
} else if (unknown.length > 0) {
  console.error(`Unknown parts of ${name}: ${unknown.join(', ')}. Parts: ${known.join(', ') || 'none'}`);
  process.exitCode = 2;
} else {
  process.exitCode = printReport(await bench(flags.includes('--quick'), parts)) ? 0 : 1;
}
