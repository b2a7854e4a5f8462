import { endpoints, type OperationName, operationNames } from '../endpoints.ts';
import type { ErrorCode } from '../errors.ts';
import { operations } from '../operations/index.ts';
import { bodyErrors, commonErrors, concepts, type Operation } from '../operations/operation.ts';
import { exampleOf, type Schema } from './example.ts';

/** Every operation: what it takes, what it answers, what can go wrong. */
export function operationsPage(): string {
  const errorList = (codes: readonly ErrorCode[]) => codes.map(errorLink).join(', ');
  const sections = concepts.map((concept) => {
    const names = operationNames.filter((name) => operations[name].concept === concept);
    return [`## ${concept}`, ...names.map(section)].join('\n\n');
  });
  return `# Operations

Generated from the contract; do not edit. The same for machines is \`packages/contract/openapi.json\`, and \`/openapi.json\` of a server.

Every call carries \`Authorization: Bearer <token>\` and \`APIKey: <key>\`; \`POST /oauth/token\` gives tokens. A \`GET\` has its fields in the query string, the others in
a JSON body, which may be gzip. The path is also the scope that a token needs. An SDK's method bears the name in brackets. Values are examples; \`…\`
stands for what the service makes.

Beside its own errors every operation may answer ${errorList(commonErrors)}, and those with a body ${errorList(bodyErrors)}.

${sections.join('\n\n')}
`;
}

function section(name: OperationName): string {
  const [method, path] = endpoints[name];
  const { summary, request, response, errors }: Operation = operations[name];
  const parts = [
    `### ${path}`,
    `\`${method} ${path}\` (\`${name}\`). ${summary}.`,
    fieldTable(request),
    ...(method === 'GET' ? [] : [jsonBlock(exampleOf(request))]),
    `answers`,
    jsonBlock(exampleOf(response)),
    ...(errors.length > 0 ? [`Errors: ${errors.map(errorLink).join(', ')}.`] : []),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function fieldTable(request: Schema): string {
  // A union is of requests that differ in one field's content only.
  const { properties = {}, required = [] } = request.anyOf?.[0] ?? request;
  const rows = Object.entries(properties).map(([field, schema]) => {
    const need = required.includes(field) ? 'required' : defaultOf(schema);
    return `| \`${field}\` | ${typeOf(schema)} | ${need} | ${schema.description ?? ''} |`;
  });
  return rows.length === 0 ? '' : ['| field | type | | |', '|---|---|---|---|', ...rows].join('\n');
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined ? 'optional' : `default \`${JSON.stringify(schema.default)}\``;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.items) return `array of ${schema.items.title ?? typeOf(schema.items)}`;
  return schema.title ?? schema.type ?? 'any';
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${shown(value, '')}\n\`\`\``;
}

const lineWidth = 110;

/** JSON with what fits on one line, so that a page is not mostly brackets. */
function shown(value: unknown, indent: string): string {
  const lines = JSON.stringify(value, null, 1).split('\n');
  const oneLine = lines.map((line) => line.trim()).join(' ');
  if (indent.length + oneLine.length <= lineWidth || typeof value !== 'object' || value === null)
    return oneLine;
  const inner = `${indent}  `;
  const elements = Array.isArray(value)
    ? value.map((element) => shown(element, inner))
    : Object.entries(value).map(([key, element]) => `"${key}": ${shown(element, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open ?? ''}\n${elements.map((element) => inner + element).join(',\n')}\n${indent}${close ?? ''}`;
}

function errorLink(code: ErrorCode): string {
  return `[\`${code}\`](errors.md#${code.toLowerCase()})`;
}
