// Reads vitest's JSON report: how many tests passed and failed on the first line, then the name and first words of each
// failure. With --files: the files that failed, one per line. With --left-out: per file, which tests did not run.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const firstLine = (text) => (text ?? '').split('\n')[0].slice(0, 200);
const pathOf = (file) => relative(process.cwd(), file.name);
const failures = report.testResults.flatMap((file) => {
  const tests = file.assertionResults.filter(({ status }) => status === 'failed');
  if (tests.length === 0)
    return file.status === 'failed' ? [`${pathOf(file)}: ${firstLine(file.message)}`] : [];
  return tests.map((test) => `${pathOf(file)} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
});
// Neither passed nor failed: skipped, to do, or never begun.
const leftOut = report.testResults.flatMap((file) => {
  const tests = file.assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed');
  if (tests.length === 0) return [];
  const names = tests.map(({ fullName }) => fullName).join('; ');
  return [
    `${tests.length} of ${file.assertionResults.length} tests of ${pathOf(file)}, which skips them here: ${names}`,
  ];
});
if (process.argv[3] === '--files') {
  for (const file of report.testResults) if (file.status === 'failed') console.log(pathOf(file));
} else if (process.argv[3] === '--left-out') {
  for (const line of leftOut) console.log(line);
} else {
  console.log(report.numPassedTests, Math.max(report.numFailedTests, failures.length));
  for (const failure of failures) console.log(failure);
}
