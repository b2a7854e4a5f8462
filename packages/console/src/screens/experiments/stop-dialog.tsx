import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { type Experiment, useStopExperiment } from '../../use/experiments.ts';

const nobody = '';

/** Ends an experiment, and gives all users one of its variants if asked. */
export function StopDialog({ experiment, onClose }: { experiment: Experiment; onClose: () => void }) {
  const { experiment_id, name, variants, winner } = experiment;
  const stop = useStopExperiment();
  const [promoted, setPromoted] = useState(winner ?? nobody);
  const submit = () => {
    stop.mutate(
      { experiment_id, promote: promoted === nobody ? undefined : promoted },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog
      onClose={onClose}
      title={`Stop “${name}”?`}
      description="It applies to the next call, and cannot be started again. Events that follow earlier responses still count."
    >
      <Form
        action={promoted === nobody ? 'Stop' : 'Stop and promote'}
        look="danger"
        change={stop}
        onSubmit={submit}
        onCancel={onClose}
      >
        <SelectField
          label="From then on, all users get"
          value={promoted}
          choices={[
            [nobody, 'what is deployed, without the experiment'],
            ...variants.map(
              (variant) =>
                [variant.name, `${variant.name}${variant.name === winner ? ' (the best)' : ''}`] as const,
            ),
          ]}
          onChange={setPromoted}
        />
        {promoted !== nobody && (
          <p className="text-sm text-muted">
            The model of “{promoted}” is deployed, and its settings become a new version of the scenario.
          </p>
        )}
      </Form>
    </Dialog>
  );
}
