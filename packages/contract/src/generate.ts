import { readFileSync, writeFileSync } from 'node:fs';
import { errorCodes, failureCodes } from './errors.ts';
import { buildOpenApi } from './openapi.ts';

/** What is derived from the contract and committed. With `--check` it writes nothing and fails on what is stale. */
const root = new URL('../../../', import.meta.url);

const generated: Record<string, string> = {
  'packages/contract/openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'docs/reference/errors.md': errorsPage(),
};

const stale = Object.entries(generated).filter(([path, text]) => read(path) !== text);

if (process.argv.includes('--check')) {
  for (const [path] of stale)
    console.error(`${path} is stale: run "npm run generate" and commit the result.`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, text] of stale) {
    writeFileSync(new URL(path, root), text);
    console.log(`wrote ${path}`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return undefined;
  }
}

function errorsPage(): string {
  const errors = Object.entries(errorCodes).map(
    ([code, { status, title, next }]) =>
      `| <a id="${code.toLowerCase()}"></a>\`${code}\` | ${status} | ${title} | ${next} |`,
  );
  const failures = Object.entries(failureCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `# Errors

Generated from the contract; do not edit.

An error is answered as \`application/problem+json\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, and \`code\` (stable),
\`errors\` (a list of \`{path, message}\` for bad input) and \`request_id\`. The token endpoint answers as RFC 6749 says instead.

| code | status | what it means | what to do |
|---|---|---|---|
${errors.join('\n')}

## Records that fail alone

An upsert writes every record it can. Those it cannot are in \`failed_ids\`, and \`failures\` says of each \`{index, id, code, message}\`.

| code | what it means |
|---|---|
${failures.join('\n')}
`;
}
