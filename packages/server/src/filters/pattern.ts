import { RE2JS } from 're2js';
import { bounds, transitionsPerStep } from './bounds.ts';
import type { Part, Scope } from './part.ts';
import { refusal } from './refuse.ts';
import { failed, type Outcome, type Run, spend } from './value.ts';

/** Compiling \pL costs as much as this many characters. */
const unicodeClassSize = 10;

/** A group records its start and end and may be empty, which is an instruction too. */
const captureSize = 3;

/** Fixed steps per match: 0.3 µs. */
const matchSteps = 10;

/** Every program has instructions for start, failure and success. */
const frameSize = 3;

/** With an engine that is linear in the text: JavaScript's takes seconds for (a+)+$ on thirty letters. Compiles once: a literal. */
export function buildMatches(
  scope: Scope,
  position: number,
  pattern: Part,
): (run: Run, text: string) => Outcome {
  if (typeof pattern.constant !== 'string') {
    throw refusal(
      scope.text,
      position,
      'matches expects a pattern in quotes, for example item.title.matches("^The ").',
    );
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
      `the patterns are too large. A filter may have at most ${bounds.patterns} patterns with ${bounds.patternLength} characters in total, or ${bounds.patternSize} with repetitions such as {100} written out.`,
    );
  }
  const expression = compilePattern(scope, position, pattern.constant);
  const size = expression.programSize();
  return (run, text) =>
    spend(run, matchSteps + Math.floor((text.length * size) / transitionsPerStep))
      ? expression.test(text)
      : failed;
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
      `the pattern is not valid: ${reason}. Patterns use RE2 syntax, without look-around and back-references.`,
      error,
    );
  }
}

/** An upper bound for the instructions of a compiled pattern, estimated from its text before it is compiled. */
export function estimatePatternSize(pattern: string): number {
  const outer: number[] = [];
  let total = 0;
  /** Size of the part that a following repetition would repeat. */
  let last = 0;
  const append = (size: number) => {
    total += size;
    last = size;
  };
  const replaceLast = (size: number) => {
    total += size - last;
    last = size;
  };
  for (const [token, count, comma, max] of pattern.matchAll(parts)) {
    // Sets flags and is not a part: a repetition after it repeats the part before it.
    if (token.startsWith('(?')) continue;
    if (token === '(') {
      outer.push(total);
      total = 0;
    } else if (token === ')') {
      const inner = total;
      total = outer.pop() ?? 0;
      append(inner + captureSize);
    } else if (count !== undefined) {
      const copies = Math.max(Number(count), Number(max ?? 0), 1) + (comma === undefined ? 0 : 1);
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

/** A repetition, flags such as (?i), an escape, a character class up to its first ], or one character. */
const parts = /\{(\d+)(?:(,)(\d*))?\}|\(\?[a-z-]*\)|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/giu;
