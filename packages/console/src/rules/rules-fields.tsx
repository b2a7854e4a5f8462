import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { Input } from '../components/field.tsx';
import { CelField } from '../filters/cel-field.tsx';
import { type Rules, sentIndex } from './rules.ts';
import { ShareField } from './share-field.tsx';

interface RulesFieldsProps {
  readonly rules: Rules;
  readonly onChange: (rules: Rules) => void;
  readonly errors: ReadonlyMap<string, string>;
  /** Below the filter. */
  readonly note?: ReactNode;
}

const maxBoosts = 10;

/** Which items may be recommended, and which count for more. */
export function RulesFields({ rules, onChange, errors, note }: RulesFieldsProps) {
  const { filter, boosts } = rules;
  const setBoost = (id: number, change: { condition?: string; factor?: number }) =>
    onChange({
      ...rules,
      boosts: boosts.map((boost) => (boost.id === id ? { ...boost, ...change } : boost)),
    });
  return (
    <div className="space-y-3">
      <CelField
        label="Filter"
        placeholder={'item.price < 20.0 && "Crime" in item.genres'}
        value={filter}
        error={errors.get('filter_query')}
        onChange={(value) => onChange({ ...rules, filter: value })}
      />
      {note}
      {boosts.map((boost) => {
        const index = sentIndex(rules, boost.id);
        const factorError = index < 0 ? undefined : errors.get(`boosts.${index}.factor`);
        return (
          <div key={boost.id} className="flex items-start gap-2">
            <CelField
              className="min-w-0 flex-1"
              label="Boost items that match"
              placeholder="item.year > 2020"
              value={boost.condition}
              error={index < 0 ? undefined : errors.get(`boosts.${index}.if`)}
              onChange={(condition) => setBoost(boost.id, { condition })}
            />
            <label className="w-20 shrink-0">
              <span className="mb-1 block font-medium">Factor</span>
              <Input
                type="number"
                min={0.1}
                max={10}
                step={0.1}
                value={boost.factor}
                aria-invalid={factorError !== undefined}
                onChange={(text) => setBoost(boost.id, { factor: Number(text) || 1 })}
              />
              {factorError !== undefined && (
                <span className="mt-1 block text-sm text-bad">{factorError}</span>
              )}
            </label>
            <IconButton
              label="Remove this boost"
              className="mt-6"
              onClick={() => onChange({ ...rules, boosts: boosts.filter(({ id }) => id !== boost.id) })}
            >
              <Trash2 aria-hidden />
            </IconButton>
          </div>
        );
      })}
      {boosts.length < maxBoosts && (
        <Button
          look="quiet"
          className="-ml-3"
          onClick={() =>
            onChange({ ...rules, boosts: [...boosts, { id: Date.now(), condition: '', factor: 2 }] })
          }
        >
          <Plus aria-hidden /> Add a boost
        </Button>
      )}
      <ShareField
        label="New items, in % of the list"
        hint="Reserves positions for items with fewer than 10 events or added after the training, so that they get a chance. Each one is drawn from the five best."
        share={rules.newItemShare}
        onChange={(newItemShare) => onChange({ ...rules, newItemShare })}
      />
    </div>
  );
}
