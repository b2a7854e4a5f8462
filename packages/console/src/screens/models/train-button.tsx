import { Play } from 'lucide-react';
import { useState } from 'react';
import { DialogButton } from '../../components/dialog.tsx';
import { CheckField, NameField, SelectField } from '../../components/field.tsx';
import { Findings } from '../../components/findings.tsx';
import { Form } from '../../components/form.tsx';
import { QueryView } from '../../components/states.tsx';
import { type AlgorithmType, useAlgorithmCheck, useTrain } from '../../use/models.ts';

const algorithms: Readonly<Record<AlgorithmType, string>> = {
  G1: 'G1: personal, learns which items go together',
  POPULAR: 'POPULAR: what is popular now, not personal',
};

/** As a scheduled training with a guard does. */
const holdoutHours = 24;

const today = () => `Trained ${new Date().toISOString().slice(0, 10)}`;

/** Checks the data, then submits a training job. */
export function TrainButton() {
  return (
    <DialogButton
      icon={<Play aria-hidden />}
      label="Train a model"
      title="Train a model"
      description="The deployed model keeps serving until you deploy another."
    >
      {(onClose) => <TrainForm onDone={onClose} />}
    </DialogButton>
  );
}

function TrainForm({ onDone }: { onDone: () => void }) {
  const train = useTrain();
  const [algorithmType, setType] = useState<AlgorithmType>('G1');
  const check = useAlgorithmCheck(algorithmType);
  const [name, setName] = useState(today);
  const [isHeldOut, setHeldOut] = useState(false);
  const submit = () => {
    train.mutate(
      { algorithmType, name, holdoutHours: isHeldOut ? holdoutHours : undefined },
      { onSuccess: onDone },
    );
  };
  return (
    <Form
      icon={<Play aria-hidden />}
      action="Start training"
      change={train}
      isDisabled={check.data?.can_train === false}
      onSubmit={submit}
    >
      <NameField value={name} onChange={setName} required />
      <SelectField label="Algorithm" value={algorithmType} choices={algorithms} onChange={setType} />
      <CheckField
        label={`Leave out the events of the last ${holdoutHours} hours`}
        hint="A guarded deployment right after the training compares the models on them."
        checked={isHeldOut}
        onChange={setHeldOut}
      />
      <div className="rounded-md border border-line">
        <QueryView query={check} lines={2}>
          {(found) =>
            found ? (
              <Findings check={found} />
            ) : (
              <p className="px-4 py-2.5 text-sm text-muted">
                The data is checked when the training starts. Counting what is popular takes little more than
                reading the events.
              </p>
            )
          }
        </QueryView>
      </div>
    </Form>
  );
}
