import { errorCodes, failureCodes } from '../../src/errors.ts';

export function errorsPage(): string {
  const errors = Object.entries(errorCodes).map(
    ([code, { status, title, next }]) =>
      `| <a id="${code.toLowerCase()}"></a>\`${code}\` | ${status} | ${title} | ${next} |`,
  );
  const failures = Object.entries(failureCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `# Errors

Generated from the contract; do not edit.

Errors are returned as \`application/problem+json\` (RFC 9457) with the fields \`type\`, \`title\`, \`status\` and \`detail\`. We add \`code\` (use this
in your program: its meaning never changes), \`errors\` (a list of \`{path, message}\` for invalid fields) and \`request_id\`. A conflict (409) also has \`resolve_with\`: the path of the operation that
resolves it. The token endpoint returns the errors of RFC 6749 instead.

| code | status | meaning | what to do |
|---|---|---|---|
${errors.join('\n')}

## Records that fail

An upsert writes every valid record. The IDs of the others are in \`failed_ids\`, and \`failures\` has \`{index, id, code, message}\` for each.

| code | meaning |
|---|---|
${failures.join('\n')}
`;
}
