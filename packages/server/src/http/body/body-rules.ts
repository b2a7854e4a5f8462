import { limits, type Operation, type OperationName, operations } from '@tastegraph/contract';
import type { ListField } from './list-field.ts';

/** Limits of an operation's body. */
export interface BodyRules {
  readonly maxBytes: number;
  /** The field with the operation's records or IDs, if it has one. */
  readonly list: ListField | undefined;
}

/** The longest ID at 4 bytes per character, with quotes. */
const idBytes = limits.eventIdLength * 4 + 2;

export function bodyRulesOf(name: OperationName): BodyRules {
  const { request, maxBodyBytes = limits.smallBodyBytes }: Operation = operations[name];
  const { properties = {} } = request as unknown as { properties?: Record<string, ListSchema> };
  const entry = Object.entries(properties).find(
    ([, schema]) => schema['x-error-code'] === 'TOO_MANY_RECORDS',
  );
  return { maxBytes: maxBodyBytes, list: entry && listField(...entry) };
}

interface ListSchema {
  readonly maxItems?: number;
  readonly 'x-error-code'?: string;
  readonly 'x-records'?: string;
}

function listField(name: string, schema: ListSchema): ListField {
  const idField = schema['x-records'];
  return {
    name,
    maxElements: schema.maxItems ?? limits.recordsPerCall,
    elementBytes: elementBytes(idField),
    idField,
  };
}

function elementBytes(idField: string | undefined): number {
  if (idField === undefined) return idBytes;
  return idField === 'event_id' ? limits.eventBytes : limits.userOrItemBytes;
}
