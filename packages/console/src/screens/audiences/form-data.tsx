import type { ReactNode } from 'react';
import { Skeleton } from '../../components/states.tsx';
import type { AttributeHint } from '../../filters/attribute-hints.ts';
import type { Model } from '../../models/use-models.ts';
import { useAnalysableModels } from './model-field.tsx';
import { useAttributes } from './use-attributes.ts';

export interface Choices {
  /** At least one. */
  readonly models: readonly [Model, ...Model[]];
  readonly attributes: readonly AttributeHint[];
}

/** What a form offers to choose from. The form appears when all of it is here, so that nothing typed is lost. */
export function FormData({ children }: { children: (choices: Choices) => ReactNode }) {
  const models = useAnalysableModels();
  const attributes = useAttributes();
  if (!models || !attributes) return <Skeleton lines={5} />;
  const [first, ...others] = models;
  if (!first)
    return (
      <p className="text-muted">
        Train a G1 model on the Models screen first: it learns the tastes of the users.
      </p>
    );
  return children({ models: [first, ...others], attributes });
}
