import { Boxes } from 'lucide-react';
import { useState } from 'react';
import { Field, NameField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useProject } from '../../use/projects.ts';
import { ModelField } from './model-field.tsx';
import { type Choices, NewAnalysis } from './new-analysis.tsx';
import { useSubmitClustering } from './use-analyses.ts';

/** A button with a form that starts a clustering. */
export function NewClustering() {
  return (
    <NewAnalysis
      operation="submitClusteringJob"
      icon={<Boxes aria-hidden />}
      label="Cluster users"
      title="Cluster users"
      description="Groups the users of a model by taste, as of its training."
    >
      {({ models }, onDone) => <NewForm models={models} onDone={onDone} />}
    </NewAnalysis>
  );
}

const maxClusters = 50;

function NewForm({ models, onDone }: Pick<Choices, 'models'> & { readonly onDone: () => void }) {
  const { project_id } = useProject();
  const submit = useSubmitClustering();
  const [name, setName] = useState('Clusters by taste');
  const [modelId, setModelId] = useState<string>();
  const [minUsers, setMinUsers] = useState('1');
  const [most, setMost] = useState('20');
  const model_id = modelId ?? models[0].model_id;
  const onSubmit = () => {
    const parameters = { min_user_num: Number(minUsers), max_clusters: Number(most) };
    submit.mutate(
      { name, project_id, model_id, cluster_type: 'user', parameters, table_format: 'CSV' },
      { onSuccess: onDone },
    );
  };
  return (
    <Form action="Start clustering" change={submit} onSubmit={onSubmit}>
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
          onChange={setMinUsers}
        />
        <Field
          label="Most clusters"
          type="number"
          min={1}
          max={maxClusters}
          required
          value={most}
          hint="Fewer if the tastes are not that different."
          onChange={setMost}
        />
      </div>
    </Form>
  );
}
