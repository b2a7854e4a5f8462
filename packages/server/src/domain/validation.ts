import { limits } from '@tastegraph/contract';
import type { ErrorObject } from 'ajv';

/** What a schema's complaint means, in words that go after the name of the field. */
export function messageOf(error: ErrorObject): string {
  if (error.propertyName !== undefined) {
    return `has a name that is not 1 to ${limits.attributeNameLength} characters without control characters`;
  }
  const { description } = (error.parentSchema ?? {}) as { description?: string };
  switch (error.keyword) {
    case 'pattern':
      return `must be ${lowerFirst(description ?? 'of the documented form')}`.replace(/\.$/, '');
    case 'enum': {
      const { allowedValues } = error.params as { allowedValues: unknown[] };
      return `must be one of ${allowedValues.join(', ')}`;
    }
    case 'const':
      return `must be ${JSON.stringify((error.params as { allowedValue: unknown }).allowedValue)}`;
    case 'additionalProperties':
      return `is not known here; known are ${Object.keys((error.parentSchema?.['properties'] ?? {}) as object).join(', ')}`;
    case 'required':
      return 'is missing';
    default:
      return error.message ?? 'is not valid';
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
