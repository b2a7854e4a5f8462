import { benchDelete } from './delete/bench.ts';
import { benchIngest } from './ingest/bench.ts';
import type { Report } from './report.ts';
import { print } from './report.ts';

/** Each takes `quick`, for a gate in CI: less data, and goals that noise cannot miss. */
const benches: Record<string, (quick: boolean) => Promise<Report>> = {
  ingest: benchIngest,
  delete: benchDelete,
};

const [name = '', ...flags] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (!bench) {
  console.error(`Usage: npm run bench -- NAME [--quick]\nThere are: ${Object.keys(benches).join(', ')}`);
  process.exitCode = 2;
} else {
  process.exitCode = print(await bench(flags.includes('--quick'))) ? 0 : 1;
}
