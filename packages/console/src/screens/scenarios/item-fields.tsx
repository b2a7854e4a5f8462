import { Pin, X } from 'lucide-react';
import { useMemo } from 'react';
import { IconButton } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { pictureOf } from '../../items/describe-item.ts';
import { ItemFinder } from '../../items/item-finder.tsx';
import { ItemPicture } from '../../items/item-picture.tsx';
import { useItemLook, useItems, useTitles } from '../../use/items.ts';
import type { Draft } from './draft.ts';

type Pins = Draft['pins'];

const maxPins = 10;
const maxExcluded = 1000;

/** Items with a fixed position on the first page. */
export function PinsField({ pins, onChange }: { pins: Pins; onChange: (pins: Pins) => void }) {
  const ids = useMemo(() => pins.map(({ itemId }) => itemId), [pins]);
  const titleOfItem = useTitles(ids);
  const items = useItems(ids);
  const look = useItemLook();
  const nextPosition = Math.max(0, ...pins.map(({ position }) => position)) + 1;
  return (
    <fieldset className="space-y-2">
      <legend className="mb-2 font-semibold">Pinned items</legend>
      {pins.map(({ id, position, itemId }) => (
        <div key={id} className="flex items-center gap-2">
          <Pin className="size-4 shrink-0 text-muted" aria-hidden />
          <ItemPicture
            src={pictureOf(items.get(itemId) ?? {}, look)}
            title={titleOfItem(itemId)}
            className="size-8"
          />
          <span className="min-w-0 flex-1 truncate">{titleOfItem(itemId)}</span>
          <label className="flex items-center gap-2 text-sm text-muted">
            Position
            <Input
              type="number"
              min={1}
              max={200}
              value={position}
              className="w-18"
              onChange={(text) =>
                onChange(pins.map((pin) => (pin.id === id ? { ...pin, position: Number(text) || 1 } : pin)))
              }
            />
          </label>
          <IconButton
            label={`Unpin ${titleOfItem(itemId)}`}
            onClick={() => onChange(pins.filter((pin) => pin.id !== id))}
          >
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      {pins.length < maxPins && (
        <ItemFinder
          label="Pin an item"
          onChoose={(itemId) => {
            const others = pins.filter((pin) => pin.itemId !== itemId);
            onChange([...others, { id: Date.now(), position: nextPosition, itemId }]);
          }}
        />
      )}
    </fieldset>
  );
}

/** Items that are never in the list. */
export function ItemsField(props: {
  items: readonly string[];
  onChange: (items: readonly string[]) => void;
}) {
  const { items, onChange } = props;
  const titleOfItem = useTitles(items);
  return (
    <fieldset className="space-y-2">
      <legend className="mb-2 font-semibold">Never recommend</legend>
      {items.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label="Items never to recommend">
          {items.map((itemId) => (
            <li
              key={itemId}
              className="flex max-w-full items-center gap-1 rounded border border-line bg-bg pl-2 text-sm"
            >
              <span className="min-w-0 truncate">{titleOfItem(itemId)}</span>
              <IconButton
                label={`Allow ${titleOfItem(itemId)}`}
                className="!size-6"
                onClick={() => onChange(items.filter((one) => one !== itemId))}
              >
                <X aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {items.length < maxExcluded && (
        <ItemFinder
          label="Add an item never to recommend"
          onChoose={(itemId) => onChange([...items.filter((one) => one !== itemId), itemId])}
        />
      )}
    </fieldset>
  );
}
