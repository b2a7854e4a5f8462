import type { OperationName } from '@tastegraph/contract/endpoints';
import { Sigma } from 'lucide-react';
import type { ReactNode } from 'react';
import { DialogButton } from '../../components/dialog.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState, ErrorState, failureOf, Skeleton } from '../../components/states.tsx';
import type { AttributeHint } from '../../filters/attribute-hints.ts';
import { useMay } from '../../session/access.tsx';
import type { Model } from '../../use/models.ts';
import { useAnalysableModels } from './model-field.tsx';
import { useAttributes } from './use-attributes.ts';

export interface Choices {
  /** At least one. */
  readonly models: readonly [Model, ...Model[]];
  readonly attributes: readonly AttributeHint[];
}

interface NewAnalysisProps {
  readonly operation: OperationName;
  readonly icon: ReactNode;
  readonly label: string;
  readonly title: string;
  readonly description: string;
  readonly wide?: boolean;
  readonly children: (choices: Choices, onDone: () => void) => ReactNode;
}

/** A button with a form that starts an analysis, for those who may. */
export function NewAnalysis({ operation, children, ...rest }: NewAnalysisProps) {
  if (!useMay(operation)) return null;
  return (
    <DialogButton {...rest}>
      {(onClose) => <FormData>{(choices) => children(choices, onClose)}</FormData>}
    </DialogButton>
  );
}

/** What a form offers to choose from. The form appears when all of it is here, so that nothing typed is lost. */
function FormData({ children }: { children: (choices: Choices) => ReactNode }) {
  const models = useAnalysableModels();
  const attributes = useAttributes();
  const failure = failureOf([models, attributes]);
  if (failure) return <ErrorState error={failure.error} onRetry={failure.retry} />;
  if (!models.data || !attributes.data) return <Skeleton lines={5} />;
  const [first, ...others] = models.data;
  if (!first)
    return (
      <EmptyState
        icon={Sigma}
        title="No model to analyze yet"
        action={<ScreenLink screen="models">Train a model</ScreenLink>}
      >
        Train a G1 model first: it learns the tastes of the users.
      </EmptyState>
    );
  return children({ models: [first, ...others], attributes: attributes.data });
}
