// Plain JavaScript, so that a Node that is too old for the rest can still say so.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `Tastegraph needs Node 24.7 or newer, and this is ${process.versions.node} (${process.execPath}). Install a newer one, or put it first in PATH.\n`,
  );
  process.exit(1);
}
await import('./main.ts');
