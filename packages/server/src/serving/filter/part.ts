import type { ASTNode } from '@marcbachmann/cel-js';
import type { Outcome, Run, Value } from './value.ts';

/** What is known of a part's value before any item is seen; an attribute may be `any`. */
export type Kind = 'boolean' | 'number' | 'string' | 'list' | 'any';

/** A part of a filter, ready to be evaluated. */
export interface Part {
  readonly evaluate: (run: Run) => Outcome;
  readonly kind: Kind;
  /** How many parts it is made of: what evaluating it once costs, without what its loops spend themselves. */
  readonly size: number;
  /** Its value, if it is the same for every item. */
  readonly constant?: Value;
}

/** What a part is built in. */
export interface Scope {
  readonly text: string;
  /** The variables of the comprehensions around, outermost first: a variable's place is its slot in `Run`. */
  readonly variables: readonly string[];
  /** The patterns of the whole filter so far. */
  readonly patterns: { count: number; length: number; size: number };
  build(node: ASTNode): Part;
  /** The scope inside a comprehension. */
  within(variable: string): Scope;
}

export function sizeOf(...parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.size, 1);
}

export function constantPart(value: Value, kind: Kind): Part {
  return { evaluate: () => value, kind, size: 1, constant: value };
}
