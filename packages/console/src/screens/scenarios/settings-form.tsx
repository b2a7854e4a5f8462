import type { ReactNode } from 'react';
import { CheckField, Field, SelectField } from '../../components/field.tsx';
import { CelField } from '../../filters/cel-field.tsx';
import { RulesFields } from '../../rules/rules-fields.tsx';
import { ShareField } from '../../rules/share-field.tsx';
import { useItemAttributes } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';
import type { Question } from '../../use/scenarios.ts';
import { type Draft, hasField } from './draft.ts';
import { ItemsField, PinsField } from './item-fields.tsx';
import { MatchCount } from './match-count.tsx';

interface SettingsFormProps {
  readonly question: Question;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly errors: ReadonlyMap<string, string>;
}

/** Every field of a scenario that its call takes. */
export function SettingsForm({ question, draft, onChange, errors }: SettingsFormProps) {
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const isList = hasField(question, 'filter_query');
  return (
    <>
      {question === 'POPULAR' && <TrendFields draft={draft} set={set} />}
      {isList && (
        <>
          <RulesFields
            rules={draft.rules}
            onChange={(rules) => set({ rules })}
            errors={errors}
            note={<MatchCount filter={draft.rules.filter} />}
          />
          <PromoteFields draft={draft} set={set} errors={errors} />
          <PinsField pins={draft.pins} onChange={(pins) => set({ pins })} />
          <DiversityFields draft={draft} set={set} />
          <SeenFields draft={draft} set={set} />
          <ItemsField items={draft.excludedItems} onChange={(excludedItems) => set({ excludedItems })} />
        </>
      )}
      <Group title="Response">
        <div className="grid gap-4 sm:grid-cols-2">
          {isList && (
            <Field
              label="Items per list"
              type="number"
              min={1}
              max={200}
              placeholder="10"
              value={draft.limit}
              onChange={(limit) => set({ limit })}
            />
          )}
          <Field
            label="Attributes to return"
            hint="Names, separated by commas."
            placeholder="title, price"
            value={draft.attributes}
            onChange={(attributes) => set({ attributes })}
          />
        </div>
        <CheckField
          label="Return reasons with each item"
          checked={draft.explain}
          onChange={(explain) => set({ explain })}
        />
      </Group>
    </>
  );
}

interface PartProps extends Pick<SettingsFormProps, 'draft'> {
  readonly set: (change: Partial<Draft>) => void;
}

function PromoteFields({ draft, set, errors }: PartProps & Pick<SettingsFormProps, 'errors'>) {
  return (
    <div className="flex items-start gap-2">
      <CelField
        className="min-w-0 flex-1"
        label="Promote items that match"
        placeholder="item.is_new"
        value={draft.promoteIf}
        error={errors.get('promote.if')}
        onChange={(promoteIf) => set({ promoteIf })}
      />
      <ShareField
        className="w-24 shrink-0"
        label="Share in %"
        share={draft.promoteShare}
        onChange={(promoteShare) => set({ promoteShare })}
      />
    </div>
  );
}

const levels = { NONE: 'as scored', LOW: 'a little varied', MEDIUM: 'varied', HIGH: 'very varied' } as const;

function DiversityFields({ draft, set }: PartProps) {
  return (
    <Group title="Diversity">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField label="List" value={draft.level} choices={levels} onChange={(level) => set({ level })} />
        <AttributeSelect
          label="Limit per value of"
          value={draft.spreadAttribute}
          onChange={(spreadAttribute) => set({ spreadAttribute })}
        />
        {draft.spreadAttribute !== '' && (
          <Field
            label="Items per value"
            type="number"
            min={1}
            max={200}
            value={draft.maxPerValue}
            onChange={(text) => set({ maxPerValue: Number(text) || 1 })}
          />
        )}
      </div>
    </Group>
  );
}

function SeenFields({ draft, set }: PartProps) {
  const { target_event_type } = useProject();
  return (
    <Group title="Seen items">
      <CheckField
        label={`Leave out items that the user has a ${target_event_type} event with`}
        hint="Or events of the types below."
        checked={draft.excludeSeen}
        onChange={(excludeSeen) => set({ excludeSeen })}
      />
      {draft.excludeSeen && (
        <Field
          label="Event types that leave an item out"
          hint="Names, separated by commas."
          placeholder={target_event_type}
          value={draft.seenTypes}
          onChange={(seenTypes) => set({ seenTypes })}
        />
      )}
    </Group>
  );
}

function TrendFields({ draft, set }: PartProps) {
  const { target_event_type } = useProject();
  return (
    <Group title="What counts as popular">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Window in hours"
          type="number"
          min={1}
          max={2160}
          placeholder="chosen from your data"
          value={draft.windowHours}
          onChange={(windowHours) => set({ windowHours })}
        />
        <Field
          label="Event type to count"
          placeholder={target_event_type}
          value={draft.eventType}
          onChange={(eventType) => set({ eventType })}
        />
        <AttributeSelect
          label="Only items by attribute"
          value={draft.attribute}
          onChange={(attribute) => set({ attribute })}
        />
        {draft.attribute !== '' && (
          <Field
            label="with the value"
            hint="A text that looks like a number needs quotation marks."
            value={draft.value}
            onChange={(value) => set({ value })}
          />
        )}
      </div>
    </Group>
  );
}

function AttributeSelect(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { item_dataset_id } = useProject();
  const { data: known = [] } = useItemAttributes(item_dataset_id);
  const names = props.value === '' || known.includes(props.value) ? known : [props.value, ...known];
  return (
    <SelectField
      label={props.label}
      value={props.value}
      choices={[['', '–'], ...names]}
      onChange={props.onChange}
    />
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="space-y-3">
      <legend className="mb-2 font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}
