import { endpoints, isIdempotent, isRemoval, type OperationName, operationNames } from '../endpoints.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { nullableFields } from '../optional-fields.ts';
import { type Schema, SchemaTypes } from './schema-types.ts';
import { docstring, isIdentifier, pascalCase, snakeCase } from './text.ts';

const header = '# Generated from the contract (npm run generate); do not edit.\n';

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface OpenApiOperation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  };
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  /** Null has a meaning of its own, so that leaving the field out is something else. */
  readonly hasOwnNull: boolean;
}

interface Method {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly response: string;
  readonly summary: string;
  readonly description: string;
  /** For a list: the field of the response with the elements, and their type. */
  readonly list: { readonly key: string; readonly element: string } | undefined;
}

/** The modules of the Python package that follow from the contract, by file name. */
export function pythonModules(document: object, version: string): Record<string, string> {
  const { paths, components } = document as OpenApiDocument;
  const types = new SchemaTypes();
  for (const [name, schema] of Object.entries(components.schemas)) types.declare(name, schema);
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

function describeMethod(
  name: OperationName,
  { parameters, requestBody, responses }: OpenApiOperation,
  schemas: Readonly<Record<string, Schema>>,
  types: SchemaTypes,
): Method {
  const operation: Operation = operations[name];
  const className = pascalCase(snakeCase(name));
  const response = responses[200].content['application/json'].schema;
  const body = requestBody?.content['application/json'].schema;
  const ownNull = (field: string) => !nullableFields(operation.request).includes(field);
  const fields = body
    ? bodyFields(body, schemas, types, className)
    : (parameters ?? []).map((parameter) => ({
        ...parameter,
        type: types.annotation(parameter.schema, className + pascalCase(parameter.name)),
      }));
  const keyword = fields.find((field) => !isIdentifier(field.name));
  if (keyword) throw new Error(`${name}: Python cannot have a parameter ${keyword.name}.`);
  return {
    name: snakeCase(name),
    parameters: fields.map(({ name: field, type, description, required }) => ({
      name: field,
      type: type.replace(/^list\[/, 'Sequence['),
      description,
      required,
      hasOwnNull: !required && ownNull(field),
    })),
    response: types.annotation(response, `${className}Response`) + (isRemoval(name) ? ' | None' : ''),
    summary: operation.summary,
    description: operation.description,
    list: listOf(response, types),
  };
}

/** The fields of a request. Those of a request with alternatives are the fields of all of them together. */
function bodyFields(
  body: Schema,
  schemas: Readonly<Record<string, Schema>>,
  types: SchemaTypes,
  className: string,
): Omit<Parameter, 'hasOwnNull'>[] {
  const alternatives = (body.anyOf ?? [body]).map(({ $ref, ...rest }) =>
    $ref === undefined ? rest : (schemas[$ref.replace('#/components/schemas/', '')] ?? {}),
  );
  const names = new Set(alternatives.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].map((name) => {
    const found = alternatives.flatMap(({ properties = {} }) => properties[name] ?? []);
    const annotations = found.map((schema) => types.annotation(schema, className + pascalCase(name)));
    return {
      name,
      type: unionOf(annotations),
      description: found[0] ? describe(found[0], schemas) : '',
      required: alternatives.every(({ required = [] }) => required.includes(name)),
    };
  });
}

/** A field without a description of its own has that of its type. */
function describe({ description, $ref }: Schema, schemas: Readonly<Record<string, Schema>>): string {
  return description ?? schemas[$ref?.replace('#/components/schemas/', '') ?? '']?.description ?? '';
}

/** One list of all kinds of elements, because type checkers do not find out which list a literal is. */
function unionOf(annotations: readonly string[]): string {
  const elements = annotations.map((annotation) => /^list\[(.*)\]$/.exec(annotation)?.[1]);
  if (elements.includes(undefined)) return [...new Set(annotations)].join(' | ');
  return `list[${[...new Set(elements)].join(' | ')}]`;
}

function listOf({ properties = {} }: Schema, types: SchemaTypes): Method['list'] {
  if (!('next_page_token' in properties)) return undefined;
  const [key, schema] = Object.entries(properties).find(([, { items }]) => items) ?? [];
  if (key === undefined || !schema?.items) throw new Error('A list without elements.');
  return { key, element: types.annotation(schema.items, 'Never') };
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
