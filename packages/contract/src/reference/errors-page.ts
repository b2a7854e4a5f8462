import { errorCodes, failureCodes } from '../errors.ts';

export function errorsPage(): string {
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
