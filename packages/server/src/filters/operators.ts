import type { ASTNode, BinaryOperator } from '@marcbachmann/cel-js';
import { buildInItem, isItem } from './item.ts';
import { constantPart, type Kind, type Part, type Scope, sizeOf } from './part.ts';
import { expectKind, expectSameKind } from './refuse.ts';
import {
  add,
  equal,
  failed,
  finite,
  includesValue,
  isList,
  type Outcome,
  order,
  type Run,
  spendText,
} from './value.ts';

type Binary = ASTNode & { op: BinaryOperator };
type Pair = readonly [Part, Part];

/** A chain of `&&` or `||` as one part. As in CEL, an operand that decides does so even if others fail, in either order. */
export function buildLogic(scope: Scope, node: ASTNode & { op: '&&' | '||' }): Part {
  const { op } = node;
  const deciding = op === '||';
  const operands = chain(node, op).map((operand) => {
    const part = scope.build(operand);
    expectKind(scope, operand, part, { kinds: ['boolean'], by: op, hint: 'Compare it with another value.' });
    return part;
  });
  const evaluations = operands.map((operand) => operand.evaluate);
  const evaluate = (run: Run) => {
    let outcome: Outcome = !deciding;
    for (const evaluation of evaluations) {
      const value = evaluation(run);
      if (value === deciding) return deciding;
      if (value !== !deciding) outcome = failed;
    }
    return outcome;
  };
  return { evaluate, kind: 'boolean', size: sizeOf(...operands) };
}

/** `a || b || c` is parsed as `(a || b) || c`. */
function chain(node: ASTNode, op: '&&' | '||'): ASTNode[] {
  const operands: ASTNode[] = [];
  let rest = node;
  while (rest.op === op) {
    operands.push(rest.args[1]);
    rest = rest.args[0];
  }
  return [...operands, rest].reverse();
}

export function buildBinary(scope: Scope, node: Binary): Part {
  const [leftNode, rightNode] = node.args;
  if (node.op === 'in' && isItem(rightNode)) return buildInItem(scope, leftNode);
  const pair = [scope.build(leftNode), scope.build(rightNode)] as const;
  const { evaluate, kind } = binary(scope, node, pair);
  return { evaluate, kind, size: sizeOf(...pair) };
}

function binary(scope: Scope, node: Binary, pair: Pair): Pick<Part, 'evaluate' | 'kind'> {
  switch (node.op) {
    case '==':
    case '!=':
      expectSameKind(scope, node, pair, node.op);
      return { evaluate: equality(pair, node.op === '=='), kind: 'boolean' };
    case '<':
      return ordering(scope, node, pair, (sign) => sign < 0);
    case '<=':
      return ordering(scope, node, pair, (sign) => sign <= 0);
    case '>':
      return ordering(scope, node, pair, (sign) => sign > 0);
    case '>=':
      return ordering(scope, node, pair, (sign) => sign >= 0);
    case 'in':
      return { evaluate: membership(scope, node, pair), kind: 'boolean' };
    case '+':
      return addition(scope, node, pair);
    case '-':
      return arithmetic(scope, node, pair, (left, right) => left - right);
    case '*':
      return arithmetic(scope, node, pair, (left, right) => left * right);
    case '/':
      return arithmetic(scope, node, pair, (left, right) => left / right);
    case '%':
      // CEL defines % for integers only.
      return arithmetic(scope, node, pair, (left, right) =>
        Number.isInteger(left) && Number.isInteger(right) ? left % right : Number.NaN,
      );
  }
}

function expectBoth(scope: Scope, node: Binary, pair: Pair, kinds: readonly Kind[]): void {
  for (const side of [0, 1] as const) expectKind(scope, node.args[side], pair[side], { kinds, by: node.op });
  expectSameKind(scope, node, pair, node.op);
}

function equality([left, right]: Pair, expected: boolean): Part['evaluate'] {
  return (run) => {
    const same = equal(run, left.evaluate(run), right.evaluate(run));
    return same === failed ? failed : same === expected;
  };
}

function ordering(scope: Scope, node: Binary, pair: Pair, test: (sign: number) => boolean) {
  expectBoth(scope, node, pair, ['number', 'string', 'boolean']);
  const [left, right] = pair;
  const evaluate = (run: Run) => {
    const sign = order(run, left.evaluate(run), right.evaluate(run));
    return sign === failed ? failed : test(sign);
  };
  return { evaluate, kind: 'boolean' as const };
}

function membership(scope: Scope, node: Binary, [element, list]: Pair): Part['evaluate'] {
  const hint = list.kind === 'string' ? 'To search a string, write item.x.contains("…").' : '';
  expectKind(scope, node.args[1], list, { kinds: ['list'], by: 'in', hint });
  const { constant } = list;
  if (isList(constant) && !constant.some(isList)) {
    // One lookup, however long the list. A value that is a list is not in the set, and equals no scalar either.
    const set = new Set(constant);
    return (run) => {
      const value = element.evaluate(run);
      if (value === failed) return failed;
      // Charge for hashing and comparing the text.
      return typeof value !== 'string' || spendText(run, value.length) ? set.has(value) : failed;
    };
  }
  return (run) => {
    const value = element.evaluate(run);
    const elements = list.evaluate(run);
    return isList(elements) ? includesValue(run, elements, value) : failed;
  };
}

function addition(scope: Scope, node: Binary, pair: Pair) {
  expectBoth(scope, node, pair, ['number', 'string', 'list']);
  const [left, right] = pair;
  const evaluate = (run: Run) => add(run, left.evaluate(run), right.evaluate(run));
  return { evaluate, kind: left.kind === 'any' ? right.kind : left.kind };
}

function arithmetic(
  scope: Scope,
  node: Binary,
  pair: Pair,
  compute: (left: number, right: number) => number,
) {
  expectBoth(scope, node, pair, ['number']);
  const [left, right] = pair;
  const evaluate = (run: Run) => {
    const one = left.evaluate(run);
    const other = right.evaluate(run);
    return typeof one === 'number' && typeof other === 'number' ? finite(compute(one, other)) : failed;
  };
  return { evaluate, kind: 'number' as const };
}

/** `!a` */
export function buildNot(scope: Scope, node: ASTNode & { op: '!_' }): Part {
  const part = scope.build(node.args);
  expectKind(scope, node.args, part, {
    kinds: ['boolean'],
    by: '!',
    hint: 'To match items without an attribute, write !has(item.x).',
  });
  const evaluate = (run: Run) => {
    const value = part.evaluate(run);
    return typeof value === 'boolean' ? !value : failed;
  };
  return { evaluate, kind: 'boolean', size: sizeOf(part) };
}

/** `-a`; the negation of a constant is a constant. */
export function buildNegation(scope: Scope, node: ASTNode & { op: '-_' }): Part {
  const part = scope.build(node.args);
  expectKind(scope, node.args, part, { kinds: ['number'], by: '-' });
  if (typeof part.constant === 'number') return constantPart(-part.constant, 'number');
  const evaluate = (run: Run) => {
    const value = part.evaluate(run);
    return typeof value === 'number' ? -value : failed;
  };
  return { evaluate, kind: 'number', size: sizeOf(part) };
}

/** `a ? b : c` */
export function buildChoice(scope: Scope, node: ASTNode & { op: '?:' }): Part {
  const [conditionNode, thenNode, elseNode] = node.args;
  const condition = scope.build(conditionNode);
  expectKind(scope, conditionNode, condition, { kinds: ['boolean'], by: '?:' });
  const chosen = scope.build(thenNode);
  const otherwise = scope.build(elseNode);
  const evaluate = (run: Run) => {
    const value = condition.evaluate(run);
    if (typeof value !== 'boolean') return failed;
    return value ? chosen.evaluate(run) : otherwise.evaluate(run);
  };
  const kind = chosen.kind === otherwise.kind ? chosen.kind : 'any';
  return { evaluate, kind, size: sizeOf(condition, chosen, otherwise) };
}
