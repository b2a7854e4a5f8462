import { writeGenerated } from '@tastegraph/dev/generated-files';
import { exitCodes } from './src/exit-codes.ts';
import { createProgram } from './src/program.ts';
import { referencePage } from './src/reference.ts';

/** Generates the reference page from the commands. */
const context = { signal: new AbortController().signal, exitCode: exitCodes.ok };
writeGenerated({ 'docs/reference/cli.md': referencePage(createProgram('0.0.0', context)) });
