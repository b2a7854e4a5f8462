import { type AttributeKind, limits, vectorLength } from '@tastegraph/contract';
import { invalidField } from '../http/api-error.ts';

/** Throws an ApiError for a schema with too many vectors. */
export function checkAttributeSchema(
  schema: Readonly<Record<string, AttributeKind>> | null | undefined,
): void {
  const vectors = Object.values(schema ?? {}).filter((kind) => vectorLength(kind) !== undefined);
  if (vectors.length > limits.vectorAttributes)
    throw invalidField(
      'attribute_schema',
      `must have at most ${limits.vectorAttributes} attributes of kind VECTOR(n)`,
    );
}
