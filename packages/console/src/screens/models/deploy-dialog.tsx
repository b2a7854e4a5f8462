import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, Field, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { type Model, useDeploy } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';

/** Less than most models change from one day to the next, in percent. */
const defaultLoss = '1';

type WhenUndecided = 'DEPLOY' | 'REFUSE';

/** Enough to try it out, and for a small shop. */
const firstQps = 10;

/** Deploys a model, if asked only when it is not worse than the deployed one; or changes how many calls it may get. */
export function DeployDialog({ model, onClose }: { model: Model; onClose: () => void }) {
  const deploy = useDeploy();
  const { deployment } = useProject();
  const isSame = deployment?.generator_model_id === model.model_id;
  const isReplaced = Boolean(deployment) && !isSame;
  const [qps, setQps] = useState(String(deployment?.qps ?? firstQps));
  const [isGuarded, setGuarded] = useState(true);
  const [loss, setLoss] = useState(defaultLoss);
  const [whenUndecided, setWhenUndecided] = useState<WhenUndecided>('DEPLOY');
  const submit = () => {
    const guard = { max_loss: Number(loss) / 100, when_undecided: whenUndecided };
    deploy.mutate(
      { model, qps: Number(qps), guard: isGuarded && isReplaced ? guard : undefined },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog
      onClose={onClose}
      title={isSame ? 'Calls per second' : `Deploy “${model.name}”?`}
      description={
        isReplaced
          ? 'It replaces the deployed model, without a call failing. You can roll back at any time.'
          : 'Calls are answered by it as soon as every process has loaded it.'
      }
    >
      <Form
        icon={<Rocket aria-hidden />}
        action={isSame ? 'Change' : 'Deploy'}
        change={deploy}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          label="Maximum calls per second"
          type="number"
          min={1}
          required
          value={qps}
          onChange={setQps}
          hint="Over all processes. Further calls are refused; you can change the number at any time."
        />
        {isReplaced && (
          <CheckField
            label="Compare with the deployed model first"
            hint="Both predict the newest events, which neither was trained on. If this model is worse, it is not deployed."
            checked={isGuarded}
            onChange={setGuarded}
          />
        )}
        {isReplaced && isGuarded && (
          <>
            <Field
              label="Accept a loss of up to (%)"
              type="number"
              min={0}
              max={100}
              step="any"
              required
              value={loss}
              onChange={setLoss}
              hint="The share of NDCG@20 that the deployment may lose."
            />
            <SelectField
              label="If there are too few newer events"
              value={whenUndecided}
              choices={{ DEPLOY: 'Deploy anyway', REFUSE: 'Keep the deployed model' }}
              onChange={setWhenUndecided}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
