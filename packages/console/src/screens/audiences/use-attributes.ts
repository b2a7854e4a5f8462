import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { QueryLike } from '../../components/states.tsx';
import { type AttributeHint, attributeHints } from '../../filters/attribute-hints.ts';
import { useAccess } from '../../session/access.tsx';
import { useItemLook, useItemSample } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';

export type AttributeValue = string | number | boolean;

/** Names that no other item has tell nothing about tastes. */
const minRepeated = 0.9;

/** The item attributes that a query can ask for, with some of their values: those of the schema, and those of items. */
export function useAttributes(): QueryLike<readonly AttributeHint[]> {
  const { client, account } = useAccess();
  const { item_dataset_id } = useProject();
  const dataset = useQuery({
    queryKey: [account.account_id, 'item-dataset', item_dataset_id],
    queryFn: ({ signal }) => client.getItemDataset({ item_dataset_id }, { signal }),
    staleTime: 60_000,
  });
  const sample = useItemSample();
  const look = useItemLook();
  const data = useMemo(() => {
    if (!sample.data || !dataset.data) return undefined;
    const records = sample.data.map(({ attributes }) => attributes);
    const { title, picture } = look;
    const schema = dataset.data.attribute_schema ?? {};
    const hints = attributeHints(records).filter(
      ({ name, values }) =>
        name !== picture &&
        isAskedFor(schema[name]) &&
        (name !== title || values.length < minRepeated * records.length),
    );
    const known = new Set(hints.map(({ name }) => name));
    const others = Object.entries(schema).filter(([name, kind]) => !known.has(name) && isAskedFor(kind));
    return [
      ...hints,
      ...others.map(([name, kind]) => ({
        name,
        kind: kind === 'NUMERICAL' ? ('number' as const) : ('text' as const),
        values: [],
      })),
    ].toSorted((a, b) => rank(a) - rank(b));
  }, [sample.data, look, dataset.data]);
  return {
    data,
    isError: dataset.isError || sample.isError,
    error: dataset.error ?? sample.error,
    refetch: () => Promise.all([dataset.refetch(), sample.refetch()]),
  };
}

/** Items do not share texts, nor vectors. */
const isAskedFor = (kind: string | undefined) => kind !== 'TEXT' && kind?.startsWith('VECTOR') !== true;

/** Lists such as genres are what is asked for most; of numbers, hardly any two items have the same. */
const rank = ({ kind }: AttributeHint) => ['list', 'text', 'boolean', 'number'].indexOf(kind);

/** What was typed, in the attribute's kind: 5.0 is the number 5. */
export function parseValue(text: string, attribute: AttributeHint | undefined): AttributeValue {
  if (attribute?.kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (attribute?.kind === 'boolean') return text === 'true';
  return text;
}
