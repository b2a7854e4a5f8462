import type { ASTNode } from '@marcbachmann/cel-js';
import { bounds } from './bounds.ts';
import { itemName } from './item.ts';
import { type Kind, type Part, type Scope, sizeOf } from './part.ts';
import { expectKind, refusal } from './refuse.ts';
import { admit, failed, isList, type Outcome, type Run, spend } from './value.ts';

/** Evaluates a part with the variable set to one element after the other. */
type Bodies = readonly [Part, ...Part[]];
type Walk = (run: Run, elements: readonly unknown[], slot: number, bodies: Bodies) => Outcome;

interface Macro {
  /** How it is called, after the list. */
  readonly form: string;
  /** What each argument after the variable has to be. */
  readonly takes: readonly Kind[];
  readonly gives: Kind;
  readonly walk: Walk;
}

/** `exists` is a long `||`, `all` a long `&&`: an element that decides does so whatever the others are. */
const quantify =
  (deciding: boolean): Walk =>
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

const existsOne: Walk = (run, elements, slot, bodies) => {
  const found = keep(run, elements, slot, bodies);
  return isList(found) ? found.length === 1 : failed;
};

const keep: Walk = (run, elements, slot, [test]) => {
  const kept: unknown[] = [];
  for (const element of elements) {
    const value = evaluateWith(run, element, slot, test);
    if (typeof value !== 'boolean') return failed;
    if (value) kept.push(element);
  }
  return kept;
};

const transform: Walk = (run, elements, slot, [body]) => {
  if (elements.length > bounds.listLength) return failed;
  const made: unknown[] = [];
  for (const element of elements) {
    const value = evaluateWith(run, element, slot, body);
    if (value === failed) return failed;
    made.push(value);
  }
  return made;
};

const keepAndTransform: Walk = (run, elements, slot, [test, body = test]) => {
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
  exists: [{ form: 'exists(x, condition)', takes: [test], gives: 'boolean', walk: quantify(true) }],
  all: [{ form: 'all(x, condition)', takes: [test], gives: 'boolean', walk: quantify(false) }],
  exists_one: [{ form: 'exists_one(x, condition)', takes: [test], gives: 'boolean', walk: existsOne }],
  filter: [{ form: 'filter(x, condition)', takes: [test], gives: 'list', walk: keep }],
  map: [
    { form: 'map(x, value)', takes: ['any'], gives: 'list', walk: transform },
    { form: 'map(x, condition, value)', takes: [test, 'any'], gives: 'list', walk: keepAndTransform },
  ],
};

export const macroNames = Object.keys(macros);

/** `item.genres.exists(genre, genre.startsWith("Com"))`; undefined when the name is none of these. */
export function buildComprehension(scope: Scope, node: ASTNode & { op: 'rcall' }): Part | undefined {
  const [name, listNode, [variable, ...bodyNodes]] = node.args;
  const forms = Object.hasOwn(macros, name) ? macros[name] : undefined;
  if (forms === undefined) return undefined;
  const macro = forms.find((form) => form.takes.length === bodyNodes.length);
  if (macro === undefined || variable?.op !== 'id' || variable.args === itemName) {
    const called = forms.map((form) => `item.genres.${form.form}`).join(' or ');
    throw refusal(scope.text, node.start, `it is called as ${called}, x being a name of your own.`);
  }

  const list = scope.build(listNode);
  expectKind(scope, listNode, list, { kinds: ['list'], by: name });
  const inner = scope.within(variable.args);
  const bodies = bodyNodes.map((bodyNode, place) => {
    const body = inner.build(bodyNode);
    const takes = macro.takes[place];
    if (takes === test) expectKind(scope, bodyNode, body, { kinds: [test], by: name });
    return body;
  });
  const [first, ...others] = bodies;
  // The form that was found takes one at least.
  if (first === undefined) return undefined;
  const slot = scope.variables.length;
  const evaluate = (run: Run) => {
    const elements = list.evaluate(run);
    return isList(elements) ? macro.walk(run, elements, slot, [first, ...others]) : failed;
  };
  return { evaluate, kind: macro.gives, size: sizeOf(list, ...bodies) };
}
