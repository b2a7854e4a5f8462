import { type AttributeHint, attributePath } from './attribute-hints.ts';

/** A comparison of one attribute with one value, as the builder of filters shows it. */
export interface Condition {
  readonly attribute: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Whether all conditions must match, or any of them. */
export type Join = 'all' | 'any';

interface OperatorTexts {
  readonly label: string;
  readonly kinds: readonly AttributeHint['kind'][];
  readonly hasValue: boolean;
}

const everyKind = ['text', 'number', 'boolean', 'list'] as const;

export const operators = {
  is: { label: 'is', kinds: ['text', 'number'], hasValue: true },
  isNot: { label: 'is not', kinds: ['text', 'number'], hasValue: true },
  contains: { label: 'contains', kinds: ['text'], hasValue: true },
  less: { label: 'is less than', kinds: ['number'], hasValue: true },
  atMost: { label: 'is at most', kinds: ['number'], hasValue: true },
  more: { label: 'is more than', kinds: ['number'], hasValue: true },
  atLeast: { label: 'is at least', kinds: ['number'], hasValue: true },
  has: { label: 'has', kinds: ['list'], hasValue: true },
  hasNot: { label: 'does not have', kinds: ['list'], hasValue: true },
  yes: { label: 'is yes', kinds: ['boolean'], hasValue: false },
  no: { label: 'is no', kinds: ['boolean'], hasValue: false },
  present: { label: 'is there', kinds: everyKind, hasValue: false },
  missing: { label: 'is missing', kinds: everyKind, hasValue: false },
} as const satisfies Readonly<Record<string, OperatorTexts>>;

export type Operator = keyof typeof operators;

export const operatorsFor = (kind: AttributeHint['kind']): Operator[] =>
  (Object.keys(operators) as Operator[]).filter((name) =>
    (operators[name].kinds as readonly string[]).includes(kind),
  );

const comparisons: Partial<Record<Operator, string>> = {
  is: '==',
  isNot: '!=',
  less: '<',
  atMost: '<=',
  more: '>',
  atLeast: '>=',
};

type Kinds = ReadonlyMap<string, AttributeHint['kind']>;

/** A text as CEL writes it; a number as it is. Undefined if there is no value, or none of the attribute's kind. */
function literalOf({ attribute, value }: Condition, kinds: Kinds): string | undefined {
  if (kinds.get(attribute) !== 'number') return value === '' ? undefined : JSON.stringify(value);
  const number = Number(value);
  return value.trim() === '' || !Number.isFinite(number) ? undefined : String(number);
}

/** The condition in CEL, or undefined while it is not complete. */
function conditionToCel(condition: Condition, kinds: Kinds): string | undefined {
  const path = attributePath(condition.attribute);
  const { operator } = condition;
  if (operator === 'yes') return `${path} == true`;
  if (operator === 'no') return `${path} == false`;
  if (operator === 'present' || operator === 'missing') {
    const isThere = path.startsWith('item.')
      ? `has(${path})`
      : `(${JSON.stringify(condition.attribute)} in item)`;
    return operator === 'present' ? isThere : `!${isThere}`;
  }
  const literal = literalOf(condition, kinds);
  if (literal === undefined) return undefined;
  if (operator === 'contains') return `${path}.contains(${literal})`;
  if (operator === 'has') return `${literal} in ${path}`;
  if (operator === 'hasNot') return `!(${literal} in ${path})`;
  return `${path} ${comparisons[operator] ?? '=='} ${literal}`;
}

const signs: Readonly<Record<Join, string>> = { all: ' && ', any: ' || ' };

/** The filter, without the conditions that are not complete. */
export function toCel(conditions: readonly Condition[], join: Join, kinds: Kinds): string {
  return conditions
    .map((one) => conditionToCel(one, kinds))
    .filter((text) => text !== undefined)
    .join(signs[join]);
}

/** Reads a filter that the builder could have written. Undefined for any other: it stays in the editor. */
export function fromCel(
  text: string,
  hints: readonly AttributeHint[],
): { conditions: Condition[]; join: Join } | undefined {
  const kinds: Kinds = new Map(hints.map(({ name, kind }) => [name, kind]));
  for (const join of ['all', 'any'] as const) {
    const parts = text.trim() === '' ? [] : text.trim().split(signs[join]);
    const conditions = parts.map((part) => readCondition(part, hints));
    if (conditions.every((one) => one !== undefined) && toCel(conditions, join, kinds) === text.trim())
      return { conditions, join };
  }
  return undefined;
}

/** The condition that is written like this. There are few attributes and operators, so all of them are tried. */
function readCondition(part: string, hints: readonly AttributeHint[]): Condition | undefined {
  const literals = Array.from(
    part.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/g),
    ([text]) => text,
  );
  for (const { name, kind } of hints)
    for (const operator of operatorsFor(kind))
      for (const value of operators[operator].hasValue ? literals.map(parse) : [''])
        if (conditionToCel({ attribute: name, operator, value }, new Map([[name, kind]])) === part)
          return { attribute: name, operator, value };
  return undefined;
}

function parse(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return '';
  }
}
