import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** Writes files by path in the repository. `--check` only fails if one is stale; `--list` only prints the paths. */
export function writeGenerated(files: Readonly<Record<string, string>>): void {
  if (process.argv.includes('--list')) {
    for (const path of Object.keys(files)) console.log(path);
    return;
  }
  const stale = Object.entries(files).filter(([path, text]) => read(path) !== text);
  for (const [path, text] of stale) {
    if (process.argv.includes('--check')) {
      console.error(`${path} is stale: run "npm run generate" and commit the result.`);
      process.exitCode = 1;
    } else {
      writeFileSync(new URL(path, root), text);
      console.log(`wrote ${path}`);
    }
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return undefined;
  }
}
