import type { ASTNode } from '@marcbachmann/cel-js';
import { nearestName } from '../kernel/lib/nearest-name.ts';
import { searchesPerStep } from './bounds.ts';
import { buildComprehension, macroNames } from './comprehensions.ts';
import { buildHas, comparedLength } from './item.ts';
import { type Part, type Scope, sizeOf } from './part.ts';
import { buildMatches } from './pattern.ts';
import { countCharacters, expectKind, quote, refusal } from './refuse.ts';
import { failed, isList, type Outcome, type Run, spend, spendText } from './value.ts';

/** Functions of two strings. */
const textTests: Readonly<Record<string, (run: Run, text: string, other: string) => Outcome>> = {
  contains: (run, text, other) =>
    spend(run, Math.floor((text.length * other.length) / searchesPerStep)) ? text.includes(other) : failed,
  startsWith: (run, text, other) => (spendText(run, other.length) ? text.startsWith(other) : failed),
  endsWith: (run, text, other) => (spendText(run, other.length) ? text.endsWith(other) : failed),
};

const methodNames = [...Object.keys(textTests), 'matches', 'size', ...macroNames];

/** `has(item.x)`, `size(item.x)` */
export function buildCall(scope: Scope, node: ASTNode & { op: 'call' }): Part {
  const [name, [argument, ...more]] = node.args;
  if (name === 'has') return buildHas(scope, node);
  if (name === 'size' && argument !== undefined && more.length === 0) return buildSize(scope, argument);
  if (name === 'size')
    throw refusal(scope.text, node.start, 'size expects one string or list, for example size(item.genres).');
  throw unknownFunction(scope, node.start, name);
}

/** `item.title.startsWith("The ")` */
export function buildMethod(scope: Scope, node: ASTNode & { op: 'rcall' }): Part {
  const comprehension = buildComprehension(scope, node);
  if (comprehension !== undefined) return comprehension;

  const [name, receiver, [argument, ...more]] = node.args;
  if (name === 'size' && argument === undefined) return buildSize(scope, receiver);
  const textTest = Object.hasOwn(textTests, name) ? textTests[name] : undefined;
  if (textTest === undefined && name !== 'matches') throw unknownFunction(scope, node.start, name);
  if (argument === undefined || more.length > 0) {
    throw refusal(
      scope.text,
      node.start,
      `${name} expects one string, for example item.title.${name}("The").`,
    );
  }

  const text = scope.build(receiver);
  const hint = text.kind === 'list' ? 'To search a list, write "…" in item.x.' : '';
  expectKind(scope, receiver, text, { kinds: ['string'], by: name, hint });
  const other = scope.build(argument);
  expectKind(scope, argument, other, { kinds: ['string'], by: name });
  const size = sizeOf(text, other);
  if (textTest === undefined) {
    const matches = buildMatches(scope, argument.start, other);
    const evaluate = (run: Run) => {
      const value = text.evaluate(run);
      return typeof value === 'string' ? matches(run, value) : failed;
    };
    return { evaluate, kind: 'boolean', size };
  }
  const evaluate = (run: Run) => {
    const value = text.evaluate(run);
    const otherValue = other.evaluate(run);
    return typeof value === 'string' && typeof otherValue === 'string'
      ? textTest(run, value, otherValue)
      : failed;
  };
  return { evaluate, kind: 'boolean', size };
}

function buildSize(scope: Scope, node: ASTNode): Part {
  const part = scope.build(node);
  expectKind(scope, node, part, { kinds: ['string', 'list'], by: 'size' });
  const evaluate = (run: Run) => {
    const value = part.evaluate(run);
    if (isList(value)) return value.length;
    return typeof value === 'string' && spend(run, value.length) ? countCharacters(value) : failed;
  };
  return { evaluate, kind: 'number', size: sizeOf(part) };
}

function unknownFunction(scope: Scope, position: number, name: string) {
  const meant = nearestName(name.slice(0, comparedLength), ['has', ...methodNames]);
  const hint =
    meant === name
      ? `must be called on a value, for example item.title.${name}(…)`
      : `is not a function in filters${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  const known = `The functions are has, ${methodNames.join(', ')}.`;
  return refusal(scope.text, position, `${quote(name)} ${hint}${hint.endsWith('?') ? '' : '.'} ${known}`);
}
