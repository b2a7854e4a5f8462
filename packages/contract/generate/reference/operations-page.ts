import { TokenError, TokenRequest, TokenResponse, tokenExample } from '../../src/concepts/api-keys.ts';
import { operations } from '../../src/concepts/index.ts';
import { endpoints, jwksPath, type OperationName, operationNames, tokenPath } from '../../src/endpoints.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { bodyErrors, commonErrors, concepts, type Operation } from '../../src/operation.ts';
import { isExtension } from '../../src/published.ts';
import type { Schema } from '../../src/schema.ts';
import { SegmentResponse, segmentPaths } from '../../src/segment.ts';
import { extensionFields, type Side } from './extensions.ts';
import { fieldTable, typeOf } from './field-table.ts';
import { jsonBlock } from './json-block.ts';
import { typesSection } from './types-section.ts';

/** Describes every operation with its request, response and errors, and every type. */
export function operationsPage(): string {
  const sections = concepts.map((concept) => {
    const names = operationNames.filter((name) => operations[name].concept === concept);
    return [`## ${concept}`, ...names.map(section)].join('\n\n');
  });
  return `# Operations

Generated from the contract; do not edit. The machine-readable version is \`packages/contract/openapi.json\`, or \`/openapi.json\` on a server.

- Send \`Authorization: Bearer <token>\` and \`APIKey: <key>\` with every call. [\`POST ${tokenPath}\`](#oauthtoken) issues tokens.
- A \`GET\` takes its fields in the query string, every other call in a JSON body, which may be compressed with gzip.
- The path is also the scope that the token needs. In brackets are the method in the SDK and the least [role](../guide/people.md#roles) of a person who may call the operation from the console.
- For an optional field, \`null\` is the same as leaving it out. The exception is \`attribute_schema\` in an update, where null removes the schema.
- In an update, you can send a resource as you read it, with your changes. Fields that cannot be changed must have their current value.
- Tastegraph implements a published API, [the contract](contract.md). *Extension* marks what Tastegraph adds to it.

In addition to its own errors, every operation may return ${errorList(commonErrors)}. Operations with a body may also return ${errorList(bodyErrors)}.

## Tokens

${tokenSection()}

${sections.join('\n\n')}

## Other senders

${segmentSection()}

## Types

${typesSection([...operationNames.flatMap((name) => [operations[name].request, operations[name].response]), TokenError, SegmentResponse])}
`;
}

function section(name: OperationName): string {
  const [method, path, leastRole] = endpoints[name];
  const { summary, description, errors }: Operation = operations[name];
  const { request, otherRequests = [], response } = operations[name].example;
  const extension = isExtension(name) ? ' *Extension.*' : '';
  const requests =
    method === 'GET' ? [queryString(path, request)] : [request, ...otherRequests].map(jsonBlock);
  return [
    `### ${path}`,
    `\`${method} ${path}\` (\`${name}\`, ${leastRole}). ${summary}.${extension}`,
    description,
    sideTable(name, 'request'),
    requests.join('\n\nor\n\n'),
    `Returns${answerType(name)}`,
    jsonBlock(response),
    errors.length > 0 ? `Errors: ${errorList(errors)}.` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The table of fields, or for a union the list of its named types. */
function sideTable(name: OperationName, side: Side): string {
  const schema = operations[name][side] as Schema;
  if (schema.anyOf) return `One of ${schema.anyOf.map(typeOf).join(' or ')}.`;
  const beyond = new Set(extensionFields(name, side));
  return fieldTable(schema, (path) => beyond.has(path));
}

/** A link to a named type, or the table of an unnamed one. */
function answerType(name: OperationName): string {
  const schema = operations[name].response as Schema;
  return schema.title === undefined ? `:\n\n${sideTable(name, 'response')}` : ` ${typeOf(schema)}:`;
}

function queryString(path: string, request: object): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(request)) query.set(key, String(value));
  return `\`\`\`http\nGET ${path}${query.size > 0 ? `?${query.toString()}` : ''}\n\`\`\``;
}

function tokenSection(): string {
  const none = () => false;
  return `### ${tokenPath}

\`POST ${tokenPath}\`. Get a token for one or more operations (OAuth 2.0 client credentials). *Extension.*

Send the fields as a form, as OAuth defines it, or as JSON. This is the only call without the two headers. A token is valid for an hour: reuse it, because token
requests are rate limited. \`GET ${jwksPath}\` returns the public keys for verifying tokens.

${fieldTable(TokenRequest, none)}

\`\`\`http
POST ${tokenPath}
Content-Type: application/x-www-form-urlencoded

${new URLSearchParams(tokenExample.request).toString()}
\`\`\`

Returns:

${fieldTable(TokenResponse, none)}

${jsonBlock(tokenExample.response)}

Errors: [TokenError](#tokenerror) as in RFC 6749, with status 401 for a wrong key or secret and 400 otherwise; ${errorList(['TOO_MANY_REQUESTS', 'UNAVAILABLE'])}.`;
}

function segmentSection(): string {
  const paths = Object.values(segmentPaths).map((path) => `\`${path}\``);
  return `### Segment

\`POST\` ${paths.join(', ')}. Write what the clients of Segment send. *Extension.*

These paths are those of Segment's HTTP Tracking API. The user name of HTTP Basic authentication is a write key from [\`/create-write-key\`](#create-write-key).
[Sources](../guide/sources.md#segment) says what the messages become. Returns 200 for everything that could be read:

${fieldTable(SegmentResponse as Schema, () => false)}

Errors: ${errorList(['NOT_FOUND', 'TOO_MANY_RECORDS'])}.`;
}

const errorList = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `[\`${code}\`](errors.md#${code.toLowerCase()})`).join(', ');
