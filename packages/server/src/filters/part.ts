import type { ASTNode } from '@marcbachmann/cel-js';
import type { Outcome, Run, Value } from './value.ts';

/** The static type of a part; an attribute is `any`. */
export type Kind = 'boolean' | 'number' | 'string' | 'list' | 'any';

/** A compiled part of a filter. */
export interface Part {
  readonly evaluate: (run: Run) => Outcome;
  readonly kind: Kind;
  /** The number of parts in it: the cost of one evaluation, without what loops spend themselves. */
  readonly size: number;
  /** The value, if it does not depend on the item. */
  readonly constant?: Value;
}

/** The context in which a part is built. */
export interface Scope {
  readonly text: string;
  /** Variables of the enclosing comprehensions, outermost first: the index is the slot in `Run`. */
  readonly variables: readonly string[];
  /** Patterns of the whole filter so far. */
  readonly patterns: { count: number; length: number; size: number };
  /** Attributes that the whole filter reads so far; `isAny` if a name is computed. */
  readonly uses: { readonly names: Set<string>; isAny: boolean };
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
