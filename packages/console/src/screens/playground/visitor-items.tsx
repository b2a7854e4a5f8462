import clsx from 'clsx';
import { ShoppingBasket, X } from 'lucide-react';
import { IconButton } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/states.tsx';
import { pictureOf, titleOf } from '../../items/describe-item.ts';
import { ItemPicture } from '../../items/item-picture.tsx';
import { useItemLook, useItems } from '../../use/items.ts';

interface VisitorItemsProps {
  readonly items: readonly string[];
  readonly highlighted: string | undefined;
  readonly onHover: (itemId: string | undefined) => void;
  readonly onRemove: (itemId: string) => void;
}

/** What is known of a visitor: `context_items` of the call. */
export function VisitorItems({ items, highlighted, onHover, onRemove }: VisitorItemsProps) {
  const look = useItemLook();
  const records = useItems(items);
  return (
    <Card title="What the visitor looked at" hint="newest first" aria-label="What the visitor looked at">
      {items.length === 0 ? (
        <EmptyState icon={ShoppingBasket} title="Add an item above">
          A visitor has no ID and no history. Recommendations follow from the items in this session alone.
        </EmptyState>
      ) : (
        <ol className="p-1.5">
          {items.toReversed().map((itemId) => {
            const attributes = records.get(itemId) ?? {};
            const title = titleOf(itemId, attributes, look);
            return (
              <li
                key={itemId}
                data-highlighted={itemId === highlighted}
                onMouseEnter={() => onHover(itemId)}
                onMouseLeave={() => onHover(undefined)}
                className={clsx(
                  'flex items-center gap-2.5 rounded-md border-l-3 px-2 py-1',
                  itemId === highlighted ? 'border-highlight-line bg-highlight' : 'border-transparent',
                )}
              >
                <ItemPicture src={pictureOf(attributes, look)} title={title} className="size-8" />
                <span className="min-w-0 flex-1 truncate">{title}</span>
                <IconButton label={`Remove ${title}`} onClick={() => onRemove(itemId)}>
                  <X aria-hidden />
                </IconButton>
              </li>
            );
          })}
        </ol>
      )}
    </Card>
  );
}
