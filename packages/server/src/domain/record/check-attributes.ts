import type { AttributeKind } from '@tastegraph/contract';
import type { RecordFailure } from './check-record.ts';

export type AttributeSchema = Readonly<Record<string, AttributeKind>> | null;

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const holds: Record<AttributeKind, { test: (value: unknown) => boolean; takes: string }> = {
  NUMERICAL: { test: (value) => typeof value === 'number', takes: 'a number' },
  CATEGORICAL: {
    test: (value) => isScalar(value) || Array.isArray(value),
    takes: 'a string, a number, a boolean, or an array of these',
  },
  TEXT: {
    test: (value) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string')),
    takes: 'a string or an array of strings',
  },
};

/** Whether the attributes of a user or item fit the kinds their dataset declares. Null is the same as not there. */
export function checkAttributes(
  schema: AttributeSchema,
  attributes: Readonly<Record<string, unknown>>,
): RecordFailure | undefined {
  if (schema === null) return undefined;
  for (const [name, value] of Object.entries(attributes)) {
    const kind = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (kind === undefined || value === null || holds[kind].test(value)) continue;
    return {
      code: 'ATTRIBUTE_TYPE',
      message: `attribute ${JSON.stringify(name)} is ${kind} in the dataset's attribute_schema and takes ${holds[kind].takes}`,
    };
  }
  return undefined;
}
