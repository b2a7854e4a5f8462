import { isDeepStrictEqual } from 'node:util';
import { endpoints, type OperationName, operations } from '@tastegraph/contract';
import { parseJson } from '../kernel/lib/json.ts';
import { invalidFields } from './api-error.ts';
import type { Context } from './context.ts';
import type { Handler, Handlers } from './handlers.ts';

type Fields = Record<string, unknown>;

const fieldsOf = (schema: unknown) => Object.keys((schema as { properties?: Fields }).properties ?? {});

/** Fields that an update returns but cannot change. A caller may read a record, change it and send all of it back. */
export function echoedFields(name: OperationName): string[] {
  if (endpoints[name][0] !== 'PUT') return [];
  const { request, response } = operations[name];
  const changeable = new Set(fieldsOf(request));
  return fieldsOf(response).filter((field) => !changeable.has(field));
}

/** The operation that reads what `name` updates, such as getProject for updateProject. */
const readerOf = (name: OperationName) => name.replace(/^update/, 'get') as OperationName;

/** Removes the echoed fields from a request, and throws if one differs from the record. Undefined if there are none. */
export function compileEchoCheck(
  name: OperationName,
  handlers: Handlers,
): ((call: Context, input: Fields) => Promise<Fields>) | undefined {
  const echoed = echoedFields(name);
  const reader = readerOf(name);
  const read: Handler<OperationName> | undefined = handlers[reader];
  if (echoed.length === 0 || !read) return undefined;
  const idFields = fieldsOf(operations[reader].request);
  return async (call, input) => {
    // As in every optional field, null means absent.
    const sent = echoed.filter((field) => input[field] !== undefined && input[field] !== null);
    if (sent.length > 0) {
      const ids = Object.fromEntries(idFields.map((field) => [field, input[field]]));
      refuseChanged(input, sent, await read(call, ids));
    }
    return Object.fromEntries(Object.entries(input).filter(([field]) => !echoed.includes(field)));
  };
}

function refuseChanged(input: Fields, sent: readonly string[], record: object): void {
  // As the response has it, without undefined fields.
  const current = parseJson(JSON.stringify(record)) as Fields;
  const errors = sent
    .filter((field) => !isDeepStrictEqual(input[field], current[field]))
    .map((path) => ({ path, message: 'cannot be changed; leave it out or send its current value' }));
  if (errors.length > 0) throw invalidFields(errors);
}
