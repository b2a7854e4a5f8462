import { SelectField } from '../../components/field.tsx';
import type { QueryLike } from '../../components/states.tsx';
import { formatAgo } from '../../format.ts';
import { type Model, useModels } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';

/** The models that can be analyzed, the deployed one first. POPULAR models know no tastes of single users. */
export function useAnalysableModels(): QueryLike<readonly Model[]> {
  const { deployment } = useProject();
  const models = useModels();
  const isDeployed = ({ model_id }: Model) => model_id === deployment?.generator_model_id;
  const { isError, error, refetch } = models;
  const data = models.data
    ?.filter(({ algorithm_type }) => algorithm_type !== 'POPULAR')
    .toSorted((a, b) => Number(isDeployed(b)) - Number(isDeployed(a)));
  return { data, isError, error, refetch };
}

export function ModelField(props: {
  models: readonly Model[];
  value: string;
  onChange: (modelId: string) => void;
}) {
  const { models, value, onChange } = props;
  const { deployment } = useProject();
  return (
    <SelectField
      label="Model"
      required
      value={value}
      choices={models.map(({ model_id, name, created_ts }) => {
        const note = model_id === deployment?.generator_model_id ? ' (deployed)' : '';
        return [model_id, `${name}, ${formatAgo(created_ts)}${note}`] as const;
      })}
      onChange={onChange}
    />
  );
}
