import { Rocket } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, Field, SelectField } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { type Model, useDeploy } from '../../models/use-models.ts';

/** Less than most models change from one day to the next, in percent. */
const defaultLoss = '1';

type WhenUndecided = 'DEPLOY' | 'REFUSE';

/** Replaces the deployed model, if asked only when the new one is not worse. */
export function DeployDialog({ model, onClose }: { model: Model; onClose: () => void }) {
  const deploy = useDeploy();
  const [isGuarded, setGuarded] = useState(true);
  const [loss, setLoss] = useState(defaultLoss);
  const [whenUndecided, setWhenUndecided] = useState<WhenUndecided>('DEPLOY');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const guard = { max_loss: Number(loss) / 100, when_undecided: whenUndecided };
    deploy.mutate({ model, guard: isGuarded ? guard : undefined }, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Deploy “${model.name}”?`}
      description="It replaces the deployed model, without a call failing. You can roll back at any time."
    >
      <form onSubmit={submit} className="space-y-4">
        <CheckField
          label="Compare with the deployed model first"
          hint="Both predict the newest events, which neither was trained on. If this model is worse, it is not deployed."
          checked={isGuarded}
          onChange={setGuarded}
        />
        {isGuarded && (
          <>
            <Field
              label="Accept a loss of up to (%)"
              type="number"
              min={0}
              max={100}
              step="any"
              required
              value={loss}
              onChange={(event) => setLoss(event.target.value)}
              hint="The share of NDCG@20 that the deployment may lose."
            />
            <SelectField
              label="If there are too few newer events"
              value={whenUndecided}
              onChange={(event) => setWhenUndecided(event.target.value as WhenUndecided)}
            >
              <option value="DEPLOY">Deploy anyway</option>
              <option value="REFUSE">Keep the deployed model</option>
            </SelectField>
          </>
        )}
        {deploy.error && <ErrorState error={deploy.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={deploy.isPending}>
            <Rocket aria-hidden /> Deploy
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
