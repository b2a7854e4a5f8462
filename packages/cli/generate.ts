import { readFileSync, writeFileSync } from 'node:fs';
import { exitCodes } from './src/exit-codes.ts';
import { createProgram } from './src/program.ts';
import { referencePage } from './src/reference.ts';

/** Generates the reference page from the commands. With `--check`, only fails if the page is stale. */
const path = 'docs/reference/cli.md';
const file = new URL(`../../${path}`, import.meta.url);
const context = { signal: new AbortController().signal, exitCode: exitCodes.ok };
const text = referencePage(createProgram('0.0.0', context));

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
