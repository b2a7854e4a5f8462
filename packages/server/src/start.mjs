import { existsSync } from 'node:fs';

// Plain JavaScript, so that a Node that is too old for the rest can still say so.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `Tastegraph needs Node 24.7 or newer, and this is ${process.versions.node} (${process.execPath}). Install a newer one, or put it first in PATH.\n`,
  );
  process.exit(1);
}

/** Programs of a clone and of the npm package, which run a whole installation. The image has none of them. */
const programs = {
  dev: new URL('../../../dev/src/main.ts', import.meta.url),
  demo: new URL('../../../dev/src/demo/main.ts', import.meta.url),
};
const program = programs[process.argv[2]];
if (program && existsSync(program)) {
  // They read what follows their name.
  process.argv.splice(2, 1);
  await import(program.href);
} else await import('./main.ts');
