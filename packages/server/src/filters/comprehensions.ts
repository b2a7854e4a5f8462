import type { ASTNode } from '@marcbachmann/cel-js';
import { bounds } from './bounds.ts';
import { itemName } from './item.ts';
import { type Kind, type Part, type Scope, sizeOf } from './part.ts';
import { expectKind, refusal } from './refuse.ts';
import { admit, failed, isList, type Outcome, type Run, spend } from './value.ts';

/** The arguments after the variable, which are evaluated for each element with the variable set to it. */
type Bodies = readonly [Part, ...Part[]];
type ListEvaluator = (run: Run, elements: readonly unknown[], slot: number, bodies: Bodies) => Outcome;

interface Macro {
  /** The call syntax, for error messages. */
  readonly form: string;
  /** The kind of each argument after the variable. */
  readonly takes: readonly Kind[];
  /** The kind of the result. */
  readonly kind: Kind;
  readonly evaluate: ListEvaluator;
}

/** `exists` is a long `||` and `all` a long `&&`: an element that decides the result does so even if others fail. */
const quantify =
  (deciding: boolean): ListEvaluator =>
  (run, elements, slot, [test]) => {
    let outcome: Outcome = !deciding;
    for (const element of elements) {
      const value = evaluateWith(run, element, slot, test);
      if (value === deciding) return deciding;
      if (run.steps < 0) return failed;
      if (value !== !deciding) outcome = failed;
    }
    return outcome;
  };

const existsOne: ListEvaluator = (run, elements, slot, bodies) => {
  const found = keep(run, elements, slot, bodies);
  return isList(found) ? found.length === 1 : failed;
};

const keep: ListEvaluator = (run, elements, slot, [test]) => {
  const kept: unknown[] = [];
  for (const element of elements) {
    const value = evaluateWith(run, element, slot, test);
    if (typeof value !== 'boolean') return failed;
    if (value) kept.push(element);
  }
  return kept;
};

const transform: ListEvaluator = (run, elements, slot, [body]) => {
  if (elements.length > bounds.listLength) return failed;
  const results: unknown[] = [];
  for (const element of elements) {
    const value = evaluateWith(run, element, slot, body);
    if (value === failed) return failed;
    results.push(value);
  }
  return results;
};

const keepAndTransform: ListEvaluator = (run, elements, slot, [test, body = test]) => {
  const kept = keep(run, elements, slot, [test]);
  return isList(kept) ? transform(run, kept, slot, [body]) : failed;
};

function evaluateWith(run: Run, element: unknown, slot: number, body: Part): Outcome {
  if (!spend(run, body.size)) return failed;
  run.variables[slot] = admit(element);
  return body.evaluate(run);
}

const test = 'boolean';
const macros: Readonly<Record<string, readonly Macro[]>> = {
  exists: [{ form: 'exists(x, condition)', takes: [test], kind: 'boolean', evaluate: quantify(true) }],
  all: [{ form: 'all(x, condition)', takes: [test], kind: 'boolean', evaluate: quantify(false) }],
  exists_one: [{ form: 'exists_one(x, condition)', takes: [test], kind: 'boolean', evaluate: existsOne }],
  filter: [{ form: 'filter(x, condition)', takes: [test], kind: 'list', evaluate: keep }],
  map: [
    { form: 'map(x, value)', takes: ['any'], kind: 'list', evaluate: transform },
    { form: 'map(x, condition, value)', takes: [test, 'any'], kind: 'list', evaluate: keepAndTransform },
  ],
};

export const macroNames = Object.keys(macros);

/** `item.genres.exists(genre, genre.startsWith("Com"))`; undefined for any other name. */
export function buildComprehension(scope: Scope, node: ASTNode & { op: 'rcall' }): Part | undefined {
  const [name, listNode, [variable, ...bodyNodes]] = node.args;
  const forms = Object.hasOwn(macros, name) ? macros[name] : undefined;
  if (forms === undefined) return undefined;
  const macro = forms.find((form) => form.takes.length === bodyNodes.length);
  if (macro === undefined || variable?.op !== 'id' || variable.args === itemName) {
    const called = forms.map((form) => `item.genres.${form.form}`).join(' or ');
    throw refusal(scope.text, node.start, `call it as ${called}, where x is a variable name of your choice.`);
  }

  const list = scope.build(listNode);
  expectKind(scope, listNode, list, { kinds: ['list'], by: name });
  const inner = scope.within(variable.args);
  const bodies = bodyNodes.map((bodyNode, index) => {
    const body = inner.build(bodyNode);
    if (macro.takes[index] === test) expectKind(scope, bodyNode, body, { kinds: [test], by: name });
    return body;
  });
  const [first, ...others] = bodies;
  // Every form takes at least one argument.
  if (first === undefined) return undefined;
  const slot = scope.variables.length;
  const evaluate = (run: Run) => {
    const elements = list.evaluate(run);
    return isList(elements) ? macro.evaluate(run, elements, slot, [first, ...others]) : failed;
  };
  return { evaluate, kind: macro.kind, size: sizeOf(list, ...bodies) };
}
