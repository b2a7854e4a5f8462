import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { limits } from '@tastegraph/contract/limits';
import { bounds } from './bounds.ts';
import { countCharacters, quote, refusal } from './refuse.ts';

const parser = new Environment({
  limits: {
    maxAstNodes: bounds.nodes,
    maxDepth: bounds.depth,
    maxListElements: bounds.nodes,
  },
});

/** Parses the text into a tree. Throws an ApiError that says what is wrong. */
export function parseFilter(text: string): ASTNode {
  // A character has at most two UTF-16 units: the first check avoids counting megabytes.
  const { filterQueryLength } = limits;
  if (text.length > 2 * filterQueryLength || countCharacters(text) > filterQueryLength) {
    throw refusal(text, 0, `the filter is longer than ${filterQueryLength} characters.`);
  }
  if (text.trim() === '') {
    throw refusal(
      text,
      0,
      'the filter is empty. Leave out filter_query, or write a condition, for example item.price < 20.',
    );
  }
  try {
    return parser.parse(text).ast;
  } catch (error) {
    if (error instanceof ParseError) {
      const { position, message } = explain(text, error);
      throw refusal(text, position, message, error);
    }
    // The parser recurses without a limit in places: thousands of "!" or "-" can overflow the stack.
    if (error instanceof RangeError) throw refusal(text, 0, tooDeep, error);
    throw error;
  }
}

export const tooDeep = `the filter is nested more than ${bounds.depth} levels deep. Join conditions with && or || instead: a chain of them is one level.`;

const tooMany = `the filter has more than ${bounds.nodes} parts, or a call has too many arguments. Shorten it.`;

/** Syntax of other languages, and what to write in CEL. */
const inCel = new Map([
  ['and', 'Write && for "and".'],
  ['or', 'Write || for "or".'],
  ['not', 'Write ! for "not".'],
  ['is', 'Write == to compare, and !has(item.x) for a missing attribute.'],
  ['like', 'Write item.x.contains("…") or item.x.matches("…").'],
  ['between', 'Write item.x >= 1 && item.x <= 2.'],
  ['=', 'Write == to compare.'],
  ['===', 'Write == to compare.'],
  ['!==', 'Write != to compare.'],
  ['<>', 'Write != for "is not".'],
  ['&', 'Write && for "and".'],
  ['|', 'Write || for "or".'],
  [';', 'A filter is one expression: join conditions with &&.'],
  ['“', 'Write plain quotes: ".'],
  ['”', 'Write plain quotes: ".'],
  ['‘', "Write plain quotes: '."],
  ['’', "Write plain quotes: '."],
]);

interface Explanation {
  readonly position: number;
  readonly message: string;
}

function explain(text: string, error: ParseError): Explanation {
  const position = error.range?.start ?? 0;
  switch (error.code) {
    case 'limit_exceeded':
      return { position, message: error.summary.includes('maxDepth') ? tooDeep : tooMany };
    case 'unterminated_string':
    case 'unterminated_triple_quoted_string':
      return { position, message: 'this string has no closing quote.' };
    case 'unexpected_token':
    case 'unexpected_character':
    case 'expected_token':
      return explainUnexpected(text, position);
    default:
      return { position, message: `${error.summary}.` };
  }
}

function explainUnexpected(text: string, position: number): Explanation {
  if (text.slice(position).trim() === '') {
    return { position, message: 'the filter ends too early: a value or a closing ), ] or quote is missing.' };
  }
  // The parser reports the end of the mistake: the ">" of "<>", the third "=", or what follows "not".
  const before = text.slice(0, position);
  const wrong = /^[=!<>&|]/.test(text.slice(position)) ? /[=!<>&|]*$/ : /\bnot\s+$/i;
  const start = wrong.exec(before)?.index ?? position;
  const [found = ''] = /^(?:\w+|[=!<>&|]+|.)/su.exec(text.slice(start)) ?? [];
  const hint = inCel.get(found.toLowerCase());
  const message = `${quote(found)} is not expected here.${hint === undefined ? '' : ` ${hint}`}`;
  return { position: start, message };
}
