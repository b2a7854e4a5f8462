import { readFileSync, writeFileSync } from 'node:fs';
import { exitCodes } from './src/exit-codes.ts';
import { makeProgram } from './src/program.ts';
import { referencePage } from './src/reference.ts';

/** What is derived from the commands and committed. With `--check` it writes nothing and fails when it is stale. */
const path = 'docs/reference/cli.md';
const file = new URL(`../../${path}`, import.meta.url);
const shell = { signal: new AbortController().signal, exitCode: exitCodes.ok };
const text = referencePage(makeProgram('0.0.0', shell));

if (read() !== text) {
  if (process.argv.includes('--check')) {
    console.error(`${path} is stale: run "npm run generate" and commit the result.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
}

function read(): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
