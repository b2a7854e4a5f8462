import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** Runs in each test file, before its imports: appends the seconds and the CPU seconds of the file beside vitest's JSON report. */
const report = process.env['VITEST_JSON']?.replace(/\.json$/, '.tsv');
const start = process.hrtime.bigint();
const before = cpuTicks();

afterAll(() => {
  if (report === undefined) return;
  const file = expect.getState().testPath?.replace(`${process.cwd()}/`, '');
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  appendFileSync(report, `${file}\t${seconds.toFixed(1)}\t${((cpuTicks() - before) / 100).toFixed(1)}\n`);
});

/** In hundredths of a second: user and system time of this process and of the processes that it started and waited for. */
function cpuTicks(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
