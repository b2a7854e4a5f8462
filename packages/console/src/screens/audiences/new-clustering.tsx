import { Boxes } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, NameField } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useMay } from '../../session/access.tsx';
import { useProject } from '../../use/projects.ts';
import { type Choices, FormData } from './form-data.tsx';
import { ModelField } from './model-field.tsx';
import { useSubmitClustering } from './use-analyses.ts';

/** A button with a form that starts a clustering. */
export function NewClustering() {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('submitClusteringJob')) return null;
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        <Boxes aria-hidden /> Cluster users
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Cluster users"
        description="Groups the users of a model by taste, as of its training."
      >
        <FormData>{({ models }) => <Form models={models} onDone={() => setOpen(false)} />}</FormData>
      </Dialog>
    </>
  );
}

const maxClusters = 50;

function Form({ models, onDone }: Pick<Choices, 'models'> & { readonly onDone: () => void }) {
  const { project_id } = useProject();
  const submit = useSubmitClustering();
  const [name, setName] = useState('Clusters by taste');
  const [modelId, setModelId] = useState<string>();
  const [minUsers, setMinUsers] = useState('1');
  const [most, setMost] = useState('20');
  const model_id = modelId ?? models[0].model_id;
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const parameters = { min_user_num: Number(minUsers), max_clusters: Number(most) };
    submit.mutate(
      { name, project_id, model_id, cluster_type: 'user', parameters, table_format: 'CSV' },
      { onSuccess: onDone },
    );
  };
  return (
    <form onSubmit={onSubmit} className="space-y-4">
      <NameField value={name} required onChange={setName} />
      <ModelField models={models} value={model_id} onChange={setModelId} />
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Fewest users in a cluster"
          type="number"
          min={0}
          required
          value={minUsers}
          hint="Smaller clusters are dropped."
          onChange={(event) => setMinUsers(event.target.value)}
        />
        <Field
          label="Most clusters"
          type="number"
          min={1}
          max={maxClusters}
          required
          value={most}
          hint="Fewer if the tastes are not that different."
          onChange={(event) => setMost(event.target.value)}
        />
      </div>
      {submit.error && <ErrorState error={submit.error} />}
      <div className="flex justify-end">
        <Button type="submit" look="primary" disabled={submit.isPending}>
          Start clustering
        </Button>
      </div>
    </form>
  );
}
