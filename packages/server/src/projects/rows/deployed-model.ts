/** A model that a serving process can load. */
export interface DeployedModel {
  readonly model_key: number;
  readonly model_id: string;
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
}

/** SQL: a model as one JSON column; null if it does not exist. */
export const modelColumn = (
  alias: string,
) => `CASE WHEN ${alias}.model_key IS NOT NULL THEN json_build_object(
  'model_key', ${alias}.model_key, 'model_id', ${alias}.model_id, 'object_key', ${alias}.object_key, 'size', ${alias}.object_size,
  'sha256', ${alias}.object_sha256) END`;
