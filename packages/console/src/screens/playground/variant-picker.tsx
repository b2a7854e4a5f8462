import { SelectField } from '../../components/field.tsx';
import { useModels } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';
import { useScenarios } from '../../use/scenarios.ts';
import type { Variant } from './variants.ts';

interface VariantPickerProps {
  readonly label: string;
  readonly variant: Variant;
  readonly onChange: (variant: Variant) => void;
}

/** A model and a scenario, by name. */
export function VariantPicker({ label, variant, onChange }: VariantPickerProps) {
  const { deployment } = useProject();
  const models = useModels().data ?? [];
  const scenarios = (useScenarios().data ?? []).filter(({ question }) => question === 'ITEMS_TO_USER');
  const chosen = (value: string) => (value === '' ? undefined : value);
  return (
    <div className="grid grid-cols-2 gap-2 border-b border-line px-4 py-2.5">
      <SelectField
        label={`Model of ${label}`}
        hideLabel
        value={variant.model ?? ''}
        choices={[
          ['', 'Deployed model'],
          ...models
            .filter(({ model_id }) => model_id !== deployment?.generator_model_id)
            .map(({ model_id, name }) => [model_id, name] as const),
        ]}
        onChange={(model) => onChange({ ...variant, model: chosen(model) })}
      />
      <SelectField
        label={`Scenario of ${label}`}
        hideLabel
        value={variant.scenario ?? ''}
        choices={[['', 'No scenario'], ...scenarios.map(({ name }) => name)]}
        onChange={(scenario) => onChange({ ...variant, scenario: chosen(scenario) })}
      />
    </div>
  );
}
