import { ModelFileError } from '@tastegraph/algorithms';
import { ObjectStoreError } from '../kernel/objects/error.ts';

export type ModelRole = 'generator' | 'ranker';

const next = 'Train again and deploy the new model.';

/** Why a model cannot be served. Undefined if a retry may help. */
export function explainUnfit(role: ModelRole, error: unknown): string | undefined {
  if (error instanceof ModelFileError)
    return `The ${role} model cannot be read: ${lowerFirst(error.message)}. ${next}`;
  if (!(error instanceof ObjectStoreError)) return undefined;
  if (error.kind === 'absent') return `The file of the ${role} model is not in the object store. ${next}`;
  if (error.kind === 'damaged')
    return `The file of the ${role} model is damaged: it differs from what the training wrote. ${next}`;
  return undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
