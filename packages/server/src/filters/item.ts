import type { ASTNode } from '@marcbachmann/cel-js';
import { nearestName } from '../kernel/lib/nearest-name.ts';
import { type Part, type Scope, sizeOf } from './part.ts';
import { expectKind, quote, refusal } from './refuse.ts';
import { admit, failed, isList, type Outcome, type Run, spendText } from './value.ts';

/** The only top-level name in a filter. */
export const itemName = 'item';

/** The item's ID, unless the item has an attribute of this name. */
const idName = 'item_id';

/** Compare at most this many characters of a name with the known names, which are shorter. */
export const comparedLength = 100;

export const isItem = (node: ASTNode) => node.op === 'id' && node.args === itemName;

/** Own properties only: `item.constructor` is an ordinary attribute. */
function attribute(run: Run, name: string): Outcome {
  const value = Object.hasOwn(run.attributes, name) ? admit(run.attributes[name]) : failed;
  return value === failed && name === idName && run.itemId !== undefined ? run.itemId : value;
}

function recordUse({ uses }: Scope, { constant }: Part): void {
  if (typeof constant === 'string') uses.names.add(constant);
  else uses.isAny = true;
}

/** `item.price` */
export function buildField(scope: Scope, node: ASTNode & { op: '.' }): Part {
  const [object, name] = node.args;
  if (isItem(object)) {
    scope.uses.names.add(name);
    return { evaluate: (run) => attribute(run, name), kind: 'any', size: 1 };
  }
  if (object.op === 'id' && !scope.variables.includes(object.args)) throw unknownName(scope, object);
  const whole =
    object.op === '.' && isItem(object.args[0])
      ? ` For an attribute with a dot in its name, write item[${quote(`${object.args[1]}.${name}`)}].`
      : '';
  throw refusal(scope.text, node.pos, `only item has fields; attributes cannot be nested.${whole}`);
}

/** `item["release date"]`, `item.genres[0]` */
export function buildIndex(scope: Scope, node: ASTNode & { op: '[]' }): Part {
  const [object, indexNode] = node.args;
  const index = scope.build(indexNode);
  if (isItem(object)) {
    expectKind(scope, indexNode, index, { kinds: ['string'], by: 'item[…]' });
    recordUse(scope, index);
    const evaluate = (run: Run) => {
      const name = index.evaluate(run);
      return typeof name === 'string' && spendText(run, name.length) ? attribute(run, name) : failed;
    };
    return { evaluate, kind: 'any', size: sizeOf(index) };
  }
  const list = scope.build(object);
  expectKind(scope, object, list, { kinds: ['list'], by: '[…]' });
  expectKind(scope, indexNode, index, { kinds: ['number'], by: 'list[…]' });
  const evaluate = (run: Run) => {
    const elements = list.evaluate(run);
    const position = index.evaluate(run);
    if (!isList(elements) || typeof position !== 'number') return failed;
    // A fraction or an index out of range reads undefined, which fails.
    return admit(elements[position]);
  };
  return { evaluate, kind: 'any', size: sizeOf(list, index) };
}

/** `has(item.price)` */
export function buildHas(scope: Scope, node: ASTNode & { op: 'call' }): Part {
  const [argument, ...more] = node.args[1];
  if (argument?.op !== '.' || more.length > 0 || !isItem(argument.args[0])) {
    throw refusal(
      scope.text,
      node.start,
      'has expects one attribute, for example has(item.price). If the name needs quotes, write "release date" in item.',
    );
  }
  const name = argument.args[1];
  scope.uses.names.add(name);
  return { evaluate: (run) => attribute(run, name) !== failed, kind: 'boolean', size: 2 };
}

/** `"release date" in item` */
export function buildInItem(scope: Scope, nameNode: ASTNode): Part {
  const name = scope.build(nameNode);
  expectKind(scope, nameNode, name, { kinds: ['string'], by: '"…" in item' });
  recordUse(scope, name);
  const evaluate = (run: Run) => {
    const text = name.evaluate(run);
    return typeof text === 'string' && spendText(run, text.length) ? attribute(run, text) !== failed : failed;
  };
  return { evaluate, kind: 'boolean', size: sizeOf(name) };
}

/** A bare name: the variable of a comprehension. */
export function buildName(scope: Scope, node: ASTNode & { op: 'id' }): Part {
  if (isItem(node)) {
    throw refusal(
      scope.text,
      node.start,
      'item alone cannot be used here. Write an attribute of it, for example item.price.',
    );
  }
  const slot = scope.variables.lastIndexOf(node.args);
  if (slot < 0) throw unknownName(scope, node);
  return { evaluate: (run) => run.variables[slot] ?? failed, kind: 'any', size: 1 };
}

function unknownName(scope: Scope, node: ASTNode & { op: 'id' }) {
  const known = [itemName, 'true', 'false', ...scope.variables];
  const meant = nearestName(node.args.slice(0, comparedLength), known) ?? `item.${node.args}`;
  return refusal(
    scope.text,
    node.start,
    `${quote(node.args)} is not defined; did you mean ${quote(meant).slice(1, -1)}? Put strings in quotes.`,
  );
}
