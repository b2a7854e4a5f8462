import { RE2JS } from 're2js';
import { bounds, transitionsPerStep } from './bounds.ts';
import type { Part, Scope } from './part.ts';
import { refusal } from './refuse.ts';
import { failed, type Outcome, type Run, spend } from './value.ts';

/** Compiling \pL costs as much as this many letters. */
const unicodeClassSize = 10;

/** A group notes where it starts and ends, and may hold nothing, which is an instruction too. */
const captureSize = 3;

/** Every program starts, fails and succeeds. */
const frameSize = 3;

/**
 * `matches`, by an engine whose time grows with the text and not with the ways to match it: JavaScript's own takes
 * seconds for (a+)+$ on thirty letters, and twice as long for each one more. The pattern is compiled once, so it has to be a literal.
 */
export function buildMatches(
  scope: Scope,
  position: number,
  pattern: Part,
): (run: Run, text: string) => Outcome {
  if (typeof pattern.constant !== 'string') {
    throw refusal(scope.text, position, 'matches takes a pattern in quotes, as item.title.matches("^The ").');
  }
  const { patterns } = scope;
  patterns.count += 1;
  patterns.length += pattern.constant.length;
  patterns.size += estimatePatternSize(pattern.constant);
  if (
    patterns.count > bounds.patterns ||
    patterns.length > bounds.patternLength ||
    patterns.size > bounds.patternSize
  ) {
    throw refusal(
      scope.text,
      position,
      `a filter takes ${bounds.patterns} patterns, of ${bounds.patternLength} characters in all, repetitions as {100} counted out up to ${bounds.patternSize}.`,
    );
  }
  const expression = compilePattern(scope, position, pattern.constant);
  const size = expression.programSize();
  return (run, text) =>
    spend(run, Math.floor((text.length * size) / transitionsPerStep)) ? expression.test(text) : failed;
}

function compilePattern(scope: Scope, position: number, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace('error parsing regexp: ', '') : 'unreadable';
    throw refusal(
      scope.text,
      position,
      `the pattern cannot be used: ${reason}. Patterns are RE2's: no look-around, no back-references.`,
      error,
    );
  }
}

/** No less than what compiling a pattern costs in instructions, read off its text before anything is spent on it. */
export function estimatePatternSize(pattern: string): number {
  const outer: number[] = [];
  let total = 0;
  /** The part that a repetition after it would repeat. */
  let last = 0;
  const append = (size: number) => {
    total += size;
    last = size;
  };
  const replaceLast = (size: number) => {
    total += size - last;
    last = size;
  };
  for (const [token, count, comma, most] of pattern.matchAll(parts)) {
    if (token === '(') {
      outer.push(total);
      total = 0;
    } else if (token === ')') {
      const inner = total;
      total = outer.pop() ?? 0;
      append(inner + captureSize);
    } else if (count !== undefined) {
      const copies = Math.max(Number(count), Number(most ?? 0), 1) + (comma === undefined ? 0 : 1);
      replaceLast(copies * (last + 1));
    } else if (token === '*' || token === '+' || token === '?') {
      replaceLast(last + 2);
    } else {
      append(1);
    }
  }
  const classes = pattern.match(/\\p/gi)?.length ?? 0;
  return total + classes * unicodeClassSize + frameSize;
}

/** A repetition, an escape, a class of characters as far as its first ], or one character. */
const parts = /\{(\d+)(?:(,)(\d*))?\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/gu;
