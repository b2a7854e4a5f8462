// Reads vitest's JSON report: how many tests passed and failed on the first line, then the name and first words of each
// failure. With --files: the files that failed, one per line.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const firstLine = (text) => (text ?? '').split('\n')[0].slice(0, 200);
const failures = report.testResults.flatMap((file) => {
  const path = relative(process.cwd(), file.name);
  const tests = file.assertionResults.filter(({ status }) => status === 'failed');
  if (tests.length === 0) return file.status === 'failed' ? [`${path}: ${firstLine(file.message)}`] : [];
  return tests.map((test) => `${path} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
});
if (process.argv[3] === '--files') {
  for (const { name, status } of report.testResults)
    if (status === 'failed') console.log(relative(process.cwd(), name));
} else {
  console.log(report.numPassedTests, Math.max(report.numFailedTests, failures.length));
  for (const failure of failures) console.log(failure);
}
