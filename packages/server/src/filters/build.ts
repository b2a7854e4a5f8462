import type { ASTNode } from '@marcbachmann/cel-js';
import { bounds } from './bounds.ts';
import { buildCall, buildMethod } from './calls.ts';
import { buildField, buildIndex, buildName } from './item.ts';
import { buildBinary, buildChoice, buildLogic, buildNegation, buildNot } from './operators.ts';
import { tooDeep } from './parse.ts';
import { constantPart, type Part, type Scope, sizeOf } from './part.ts';
import { refusal } from './refuse.ts';
import { failed, type Run } from './value.ts';

/** Checks the tree and turns each part into a closure. */
export function buildFilter(
  text: string,
  root: ASTNode,
): { part: Part; patterns: number; attributes: readonly string[] | undefined } {
  const patterns = { count: 0, length: 0, size: 0 };
  const uses = { names: new Set<string>(), isAny: false };
  const scopeAt = (variables: readonly string[], depth: number): Scope => ({
    text,
    variables,
    patterns,
    uses,
    build: (node) => {
      if (depth === bounds.depth) throw refusal(text, node.start, tooDeep);
      return buildPart(scopeAt(variables, depth + 1), node);
    },
    within: (variable) => scopeAt([...variables, variable], depth),
  });
  const part = scopeAt([], 0).build(root);
  return { part, patterns: patterns.count, attributes: uses.isAny ? undefined : [...uses.names] };
}

function buildPart(scope: Scope, node: ASTNode): Part {
  switch (node.op) {
    case 'value':
      return buildLiteral(scope, node);
    case 'id':
      return buildName(scope, node);
    case '.':
      return buildField(scope, node);
    case '[]':
      return buildIndex(scope, node);
    case 'call':
      return buildCall(scope, node);
    case 'rcall':
      return buildMethod(scope, node);
    case 'list':
      return buildList(scope, node);
    case '?:':
      return buildChoice(scope, node);
    case '&&':
    case '||':
      return buildLogic(scope, node);
    case '!_':
      return buildNot(scope, node);
    case '-_':
      return buildNegation(scope, node);
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return buildBinary(scope, node);
    case 'map':
    case '.?':
    case '[?]':
      throw refusal(scope.text, node.start, 'filters do not support maps and optional values.');
  }
}

function buildLiteral(scope: Scope, node: ASTNode & { op: 'value' }): Part {
  const value = node.args;
  if (typeof value === 'string') return constantPart(value, 'string');
  if (typeof value === 'boolean') return constantPart(value, 'boolean');
  if (typeof value === 'number') return constantPart(value, 'number');
  if (typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return constantPart(Number(value), 'number');
    throw refusal(
      scope.text,
      node.start,
      `integers are exact only up to ${Number.MAX_SAFE_INTEGER}. Use a smaller number.`,
    );
  }
  throw refusal(
    scope.text,
    node.start,
    value === null
      ? 'filters do not support null. To match items without an attribute, write !has(item.x).'
      : 'filters do not support this literal. Use a string, a number, true, false or a list of these: 5 instead of 5u, "a" instead of b"a".',
  );
}

function buildList(scope: Scope, node: ASTNode & { op: 'list' }): Part {
  const parts = node.args.map((element) => scope.build(element));
  const constants = parts.flatMap(({ constant }) => (constant === undefined ? [] : [constant]));
  if (constants.length === parts.length) return constantPart(constants, 'list');
  const evaluate = (run: Run) => {
    const elements: unknown[] = [];
    for (const part of parts) {
      const value = part.evaluate(run);
      if (value === failed) return failed;
      elements.push(value);
    }
    return elements;
  };
  return { evaluate, kind: 'list', size: sizeOf(...parts) };
}
