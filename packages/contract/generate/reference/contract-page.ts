import { endpoints, type OperationName, operationNames } from '../../src/endpoints.ts';
import { isExtension, published } from '../../src/published.ts';
import { extensionFields } from './extensions.ts';

/** Describes how this implementation relates to the published contract, and lists all extensions. */
export function contractPage(): string {
  const known = operationNames.filter((name) => published[name] !== undefined);
  const beyond = operationNames.filter((name) => isExtension(name));
  return `# The contract and this implementation

Generated; do not edit. Tastegraph implements a published recommendation API exactly. This page calls that API *the contract*. A client written for the contract works
without changes. An *extension* adds operations or fields to the contract, and never replaces any.

## Operations of the contract

The last two columns list the fields that we added. Fields inside an added field are not listed.

| operation | added to the request | added to the response |
|---|---|---|
${known.map((name) => `| ${link(name)} | ${fieldList(name, 'request')} | ${fieldList(name, 'response')} |`).join('\n')}

## Operations that we added

${beyond.map((name) => `- ${link(name)}`).join('\n')}
- [\`POST /oauth/token\`](operations.md#oauthtoken), \`GET /.well-known/jwks.json\`, \`GET /downloads/…\`, \`GET /healthz\`, \`GET /readyz\`, \`GET /openapi.json\`, \`GET /docs\`
`;
}

function link(name: OperationName): string {
  const [, path] = endpoints[name];
  return `[\`${path}\`](operations.md#${path.slice(1)})`;
}

function fieldList(name: OperationName, side: 'request' | 'response'): string {
  return extensionFields(name, side)
    .map((field) => `\`${field}\``)
    .join(', ');
}
