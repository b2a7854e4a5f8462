import { endpoints, isIdempotent, isRemoval, operationNames } from '../../src/endpoints.ts';
import { describeMethod, type Method, type OpenApiOperation, type Parameter } from './methods.ts';
import { type Schema, SchemaTypes } from './schema-types.ts';
import { docstring, snakeCase } from './text.ts';

const header = '# Generated from the contract (npm run generate); do not edit.\n';

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The modules of the Python package that follow from the contract, by file name. */
export function pythonModules(document: object, version: string): Record<string, string> {
  const { paths, components } = document as OpenApiDocument;
  const types = new SchemaTypes();
  // The package has no methods for what Segment's clients send.
  const schemas = Object.entries(components.schemas).filter(([name]) => !name.startsWith('Segment'));
  for (const [name, schema] of schemas) types.declare(name, schema);
  const methods = operationNames.map((name) => {
    const [verb, path] = endpoints[name];
    const operation = paths[path]?.[verb.toLowerCase()];
    if (!operation) throw new Error(`The document has no ${verb} ${path}.`);
    return describeMethod(name, operation, components.schemas, types);
  });
  return {
    'types.py': typesModule(types),
    '_operations.py': operationsModule(methods, types),
    '_endpoints.py': endpointsModule(),
    '_version.py': `${header}VERSION = "${version}"\n`,
  };
}

function typesModule(types: SchemaTypes): string {
  return `${header}"""The types of requests and responses."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

${types.toString()}`;
}

function endpointsModule(): string {
  const rows = operationNames.map((name) => {
    const [method, path] = endpoints[name];
    const flags = [isIdempotent(name), isRemoval(name)].map((flag) => (flag ? 'True' : 'False'));
    return `    "${snakeCase(name)}": Endpoint("${method}", "${path}", ${flags.join(', ')}),\n`;
  });
  return `${header}"""How each operation is called, and what a client may do after an error."""

from typing import NamedTuple


class Endpoint(NamedTuple):
    method: str
    path: str
    is_idempotent: bool
    is_removal: bool


ENDPOINTS: dict[str, Endpoint] = {
${rows.join('')}}
`;
}

function operationsModule(methods: readonly Method[], types: SchemaTypes): string {
  const sync = methods.map((method) => methodText(method, false) + iteratorText(method, false));
  const async = methods.map((method) => methodText(method, true) + iteratorText(method, true));
  const code = sync.join('');
  const used = types
    .names()
    .filter((name) => new RegExp(`\\b${name}\\b`).test(code.replaceAll(/"""[^]*?"""/g, '')));
  return `${header}"""One method per operation, for both clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal

from ._unset import UNSET, Unset, keep_none
from .types import (
${used
  .toSorted()
  .map((name) => `    ${name},\n`)
  .join('')})


class Operations:
    """The methods of \`Tastegraph\`."""

    def _call(self, name: str, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _iterate(self, name: str, key: str, request: dict[str, Any]) -> Iterator[Any]:
        raise NotImplementedError
${code}

class AsyncOperations:
    """The methods of \`AsyncTastegraph\`."""

    async def _call(self, name: str, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _iterate(self, name: str, key: str, request: dict[str, Any]) -> AsyncIterator[Any]:
        raise NotImplementedError
${async.join('')}`;
}

function methodText(method: Method, isAsync: boolean): string {
  const { name, parameters, response, summary, description } = method;
  const call = isAsync ? 'await self._call' : 'self._call';
  return `
    ${isAsync ? 'async ' : ''}def ${name}(${signature(parameters)}) -> ${response}:
${documentation(summary, description, parameters)}        answer: ${response} = ${call}(
            "${name}",
            ${requestText(parameters)},
        )
        return answer
`;
}

/** \`list_models\` has \`iter_models\` beside it. */
function iteratorText(method: Method, isAsync: boolean): string {
  const { name, list, summary } = method;
  if (!list) return '';
  const parameters = method.parameters.filter((parameter) => parameter.name !== 'page_token');
  const type = isAsync ? 'AsyncIterator' : 'Iterator';
  const about = `Like \`${name}\`, but iterates over the entries of all pages.`;
  return `
    def ${name.replace(/^list/, 'iter')}(${signature(parameters)}) -> ${type}[${list.element}]:
${documentation(summary, about, parameters)}        return self._iterate(
            "${name}",
            "${list.key}",
            ${requestText(parameters)},
        )
`;
}

function signature(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return 'self';
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  const texts = [
    ...required.map(({ name, type }) => `${name}: ${type}`),
    ...optional.map(({ name, type, hasOwnNull }) =>
      hasOwnNull
        ? `${name}: ${type} | Unset = UNSET`
        : `${name}: ${type.endsWith('None') ? type : `${type} | None`} = None`,
    ),
  ];
  return `\n        self,\n        *,\n${texts.map((text) => `        ${text},\n`).join('')}    `;
}

function documentation(summary: string, description: string, parameters: readonly Parameter[]): string {
  const paragraphs = [`${summary.replace(/\.$/, '')}.`, ...(description === '' ? [] : [description])];
  return docstring(
    '        ',
    paragraphs,
    parameters.map(({ name, description: about }) => `${name}: ${about}`.trimEnd()),
  );
}

function requestText(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '{}';
  const valueOf = ({ name, type, required, hasOwnNull }: Parameter) =>
    hasOwnNull || (required && type.endsWith('None')) ? `keep_none(${name})` : name;
  const fields = parameters.map(
    (parameter) => `                "${parameter.name}": ${valueOf(parameter)},\n`,
  );
  return `{\n${fields.join('')}            }`;
}
