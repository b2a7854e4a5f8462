import { createMapping, fieldsOf, isRequired, type Kind, kinds, type Mapping } from '@tastegraph/files';
import type { OpenedFile } from './open-file.ts';

/** What becomes of a column: a field of the record, an attribute, or nothing. */
export type Target = { readonly field: string } | 'attribute' | 'skip';

/** What the person has decided beyond the guess. */
export interface Choices {
  readonly kind: Kind;
  /** By column. */
  readonly targets: ReadonlyMap<string, Target>;
  /** The type of all events, if no column has it. */
  readonly eventType: string;
}

export type Plan =
  | { readonly mapping: Mapping; readonly problem?: undefined }
  | { readonly mapping?: undefined; readonly problem: string };

/** The mapping that the command line would guess, changed by the choices, or what is missing for one. */
export function planImport({ columns, sample }: OpenedFile, { kind, targets, eventType }: Choices): Plan {
  const entries = [...targets];
  const map = new Map(
    entries.flatMap(([column, target]) =>
      typeof target === 'object' ? [[target.field, column] as const] : [],
    ),
  );
  const asAttributes = entries.flatMap(([column, target]) => (target === 'attribute' ? [column] : []));
  const options = {
    // An attribute that has a name like a field is mapped to itself, so that no field takes it.
    map: new Map([...map, ...asAttributes.map((column) => [column, column] as const)]),
    as: new Map(),
    skip: entries.flatMap(([column, target]) => (target === 'skip' ? [column] : [])),
  };
  const guess = (type: string | undefined) =>
    createMapping(kind, columns, sample, { ...options, eventType: type });
  try {
    return { mapping: guess(undefined) };
  } catch (error) {
    const wanted = kind === 'events' && eventType.trim() !== '' ? eventType.trim() : undefined;
    if (wanted === undefined) return { problem: messageOf(error) };
    try {
      return { mapping: guess(wanted) };
    } catch (second) {
      return { problem: messageOf(second) };
    }
  }
}

/** The first sentence; the advice that follows it is for a command line. */
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Events if both a user and an item are there; otherwise by the name of the file, or by what fits. */
export function guessKind(opened: OpenedFile): Kind {
  const fits = (kind: Kind) =>
    planImport(opened, { kind, targets: new Map(), eventType: 'any' }).problem === undefined;
  const named = kinds.find((kind) => opened.file.name.toLowerCase().includes(kind.slice(0, -1)));
  if (named !== undefined && fits(named)) return named;
  return (['events', 'items', 'users'] as const).find(fits) ?? 'events';
}

/** How many rows of the sample have the ID of an earlier one, as the variants of a product do. */
export function countRepeats({ sample }: OpenedFile, { kind, fields }: Mapping): number {
  const { index = -1 } = fields.find(({ name }) => name === `${kind.slice(0, -1)}_id`) ?? {};
  return index < 0 ? 0 : sample.length - new Set(sample.map((cells) => cells[index])).size;
}

export const fieldNames = (kind: Kind) =>
  fieldsOf[kind].map(({ name }) => ({ name, required: isRequired(name) }));

export function targetOf(mapping: Mapping | undefined, column: string, targets: Choices['targets']): Target {
  const chosen = targets.get(column);
  if (chosen !== undefined) return chosen;
  const field = mapping?.fields.find((one) => one.column === column);
  return field ? { field: field.name } : 'attribute';
}
