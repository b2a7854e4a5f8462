import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../../src/filters/compile-filter.ts';

type Scalar = number | string | boolean;
type Item = Readonly<Record<string, Scalar | readonly Scalar[] | null>>;

type Order = '<' | '<=' | '>' | '>=';

/** The part of the language that most filters use. */
type Tree =
  | { is: 'attribute'; name: string }
  | { is: 'literal'; value: Scalar }
  | { is: 'has'; name: string }
  | { is: 'not'; of: Tree }
  | { is: '&&' | '||'; left: Tree; right: Tree }
  | { is: '==' | '!='; left: Tree; right: Tree }
  | { is: Order; left: Tree; right: Tree }
  | { is: 'in'; left: Tree; list: readonly Scalar[] | string };

const names = ['a', 'b', 'c', 'constructor'] as const;
const scalars = fc.oneof(
  fc.constantFrom<Scalar>(0, 1, 2, 2.5, -1, '', 'x', 'xy', 'é', '😀', true, false),
  fc.integer({ min: -3, max: 3 }),
);
const lists = fc.array(scalars, { maxLength: 4 });
const itemsOf: fc.Arbitrary<Item> = fc.dictionary(
  fc.constantFrom(...names),
  fc.oneof(scalars, scalars, lists, fc.constant(null)),
  { maxKeys: 4 },
);

const trees = fc.letrec<{ value: Tree; test: Tree }>((tie) => ({
  value: fc.oneof(
    fc.constantFrom(...names).map((name): Tree => ({ is: 'attribute', name })),
    scalars.map((value): Tree => ({ is: 'literal', value })),
  ),
  test: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({
      is: fc.constantFrom('==', '!=', '<', '<=', '>', '>='),
      left: tie('value'),
      right: tie('value'),
    }),
    fc.record({ is: fc.constant('has'), name: fc.constantFrom(...names) }),
    fc.record({ is: fc.constant('attribute'), name: fc.constantFrom(...names) }),
    fc.record({
      is: fc.constant('in'),
      left: tie('value'),
      list: fc.oneof(lists, fc.constantFrom(...names)),
    }),
    fc.record({ is: fc.constant('not'), of: tie('test') }),
    fc.record({ is: fc.constantFrom('&&', '||'), left: tie('test'), right: tie('test') }),
  ),
}));

function print(tree: Tree, number: (value: number) => string): string {
  const literal = (value: Scalar) => (typeof value === 'number' ? number(value) : JSON.stringify(value));
  switch (tree.is) {
    case 'attribute':
      return `item.${tree.name}`;
    case 'literal':
      return literal(tree.value);
    case 'has':
      return `has(item.${tree.name})`;
    case 'not':
      return `!(${print(tree.of, number)})`;
    case 'in': {
      const list =
        typeof tree.list === 'string' ? `item.${tree.list}` : `[${tree.list.map(literal).join(', ')}]`;
      return `${print(tree.left, number)} in ${list}`;
    }
    case '&&':
    case '||':
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `(${print(tree.left, number)} ${tree.is} ${print(tree.right, number)})`;
  }
}

/** The same by the specification, with exceptions for errors. */
function evaluate(tree: Tree, item: Item): Scalar | readonly Scalar[] {
  switch (tree.is) {
    case 'attribute': {
      const value = Object.hasOwn(item, tree.name) ? item[tree.name] : undefined;
      if (value === undefined || value === null) throw new Error('no such attribute');
      return value;
    }
    case 'literal':
      return tree.value;
    case 'has':
      return Object.hasOwn(item, tree.name) && item[tree.name] !== null;
    case 'not':
      return !boolean(tree.of, item);
    case '&&':
    case '||':
      return decide(tree, item);
    case 'in': {
      const value = evaluate(tree.left, item);
      const list =
        typeof tree.list === 'string' ? evaluate({ is: 'attribute', name: tree.list }, item) : tree.list;
      if (!Array.isArray(list)) throw new Error('not a list');
      return list.some((element) => JSON.stringify(element) === JSON.stringify(value));
    }
    case '==':
    case '!=': {
      const same = JSON.stringify(evaluate(tree.left, item)) === JSON.stringify(evaluate(tree.right, item));
      return same === (tree.is === '==');
    }
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(tree.is, evaluate(tree.left, item), evaluate(tree.right, item));
  }
}

function boolean(tree: Tree, item: Item): boolean {
  const value = evaluate(tree, item);
  if (typeof value !== 'boolean') throw new Error('not true or false');
  return value;
}

function decide({ is, left, right }: Tree & { is: '&&' | '||' }, item: Item): boolean {
  const outcomes = [left, right].map((side) => {
    try {
      return boolean(side, item);
    } catch {
      return undefined;
    }
  });
  if (outcomes.includes(is === '||')) return is === '||';
  if (outcomes.includes(undefined)) throw new Error('undecided');
  return is === '&&';
}

function compare(operator: Order, left: unknown, right: unknown): boolean {
  if (typeof left !== typeof right || typeof left === 'object') throw new Error('no order');
  const sign =
    typeof left === 'string'
      ? Buffer.compare(Buffer.from(left), Buffer.from(String(right)))
      : Number(left) - Number(right);
  return { '<': sign < 0, '<=': sign <= 0, '>': sign > 0, '>=': sign >= 0 }[operator];
}

function matchesByTheBook(tree: Tree, item: Item): boolean {
  try {
    return evaluate(tree, item) === true;
  } catch {
    return false;
  }
}

/** Undefined if the checker sees that the types can never match, as in 1 < "x". */
function matchesCompiled(text: string, item: Item): boolean | undefined {
  try {
    return compileFilter(text).matches(item);
  } catch {
    return undefined;
  }
}

const timeout = 60_000;

describe('a filter agrees with the reference implementation', { timeout }, () => {
  test('written from the specification', () => {
    const seen = { true: 0, false: 0, undefined: 0 };
    const property = fc.property(trees.test, itemsOf, (tree, item) => {
      const answer = matchesCompiled(print(tree, String), item);
      seen[`${answer}`]++;
      if (answer !== undefined) expect(answer).toBe(matchesByTheBook(tree, item));
    });
    fc.assert(property, { numRuns: 20_000 });
    expect(seen.true).toBeGreaterThan(1000);
    expect(seen.false).toBeGreaterThan(1000);
  });

  test('of the parser library, where numbers are written as doubles', () => {
    const library = new Environment({ homogeneousAggregateLiterals: false }).registerVariable('item', 'map');
    const double = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));
    const property = fc.property(trees.test, itemsOf, (tree, item) => {
      const text = print(tree, double);
      const answer = matchesCompiled(text, item);
      // Its checker also refuses expressions that we evaluate to false, such as true in [1.0].
      if (answer === undefined || !library.check(text).valid) return;
      // A map, since the library does not accept an object with an attribute named constructor.
      const present = new Map(Object.entries(item).filter(([, value]) => value !== null));
      let expected: unknown;
      try {
        expected = library.evaluate(text, { item: present });
      } catch {
        expected = false;
      }
      expect(answer).toBe(expected === true);
    });
    fc.assert(property, { numRuns: 10_000 });
  });
});
