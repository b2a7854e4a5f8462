import { benchAnalyse } from './analyse/bench.ts';
import { benchBatch } from './batch/bench.ts';
import { benchConsole } from './console/bench.ts';
import { benchExperiments } from './experiments/bench.ts';
import { benchFreshness } from './freshness/bench.ts';
import { benchIngest } from './ingest/bench.ts';
import { benchKafka } from './kafka/bench.ts';
import { benchLoss } from './loss/bench.ts';
import { benchNeighbours } from './neighbours/bench.ts';
import { benchOutcomes } from './outcomes/bench.ts';
import { benchPeers } from './peers/bench.ts';
import { benchQuality } from './quality/bench.ts';
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

const [name = '', ...flags] = process.argv.slice(2);
const parts = flags.filter((flag) => !flag.startsWith('--'));
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (!bench) {
  console.error(
    `Usage: npm run bench -- NAME [PART…] [--quick]\nBenchmarks: ${Object.keys(benches).join(', ')}`,
  );
  process.exitCode = 2;
} else {
  process.exitCode = printReport(await bench(flags.includes('--quick'), parts)) ? 0 : 1;
}
