import {
  type AttributeCode,
  type AttributeRecord,
  CodeLearner,
  countTokens,
  encoder,
  type LearnableKind,
} from '@tastegraph/algorithms';
import { vectorLength } from '@tastegraph/contract/limits';
import { parseJson } from '../kernel/lib/json.ts';
import { decodeText } from '../kernel/postgres/copy-rows.ts';
import type { SourceDataset } from './rows/training-rows.ts';
import type { LeftOut } from './training-input.ts';

const noAttributes: AttributeRecord = {};

type Schema = NonNullable<SourceDataset['attribute_schema']>;

/** The kinds as algorithms name them. */
export function learnableKinds(schema: Schema): Record<string, LearnableKind> {
  const kinds = Object.entries(schema).map(([name, kind]): [string, LearnableKind] => {
    const length = vectorLength(kind);
    return [name, length === undefined ? (kind as LearnableKind) : { vectorLength: length }];
  });
  return Object.fromEntries(kinds);
}

/** Vectors come after values, and words last, so that one number tells where each begins. */
const rankOf = ({ kind }: AttributeCode) => ['VECTOR', 'TEXT'].indexOf(kind);

function whyUnused(of: 'user' | 'item', { kind }: AttributeCode): string {
  if (kind === 'VECTOR') return `too few ${of}s have a vector of the length in attribute_schema`;
  return `too few ${of}s share a ${kind === 'TEXT' ? 'word' : 'value'} of it`;
}

/** Parses the attributes of a user or item from a COPY field. */
export function parseAttributes(field: string): AttributeRecord {
  // The most frequent case: nothing to decode or allocate.
  return field === '{}' ? noAttributes : (parseJson(decodeText(field)) as AttributeRecord);
}

/** Learns the codes of a dataset's attributes in one pass. */
export class AttributeReader {
  readonly #kind: 'user' | 'item';
  readonly #learner: CodeLearner;

  constructor(kind: 'user' | 'item', schema: SourceDataset['attribute_schema']) {
    this.#kind = kind;
    this.#learner = new CodeLearner(learnableKinds(schema ?? {}));
  }

  add(record: AttributeRecord): void {
    this.#learner.add(record);
  }

  finish(): { codes: AttributeCode[]; leftOut: LeftOut[] } {
    const codes: AttributeCode[] = [];
    const leftOut: LeftOut[] = [];
    for (const { name, bearers, code } of this.#learner.finish()) {
      if (bearers === 0) continue;
      const what = `${this.#kind} attribute ${JSON.stringify(name)}`;
      if (countTokens([code]) > 0) codes.push(code);
      else leftOut.push({ what, count: bearers, why: whyUnused(this.#kind, code) });
    }
    if (this.#learner.ignoredValues > 0)
      leftOut.push({
        what: `values of other ${this.#kind} attributes`,
        count: this.#learner.ignoredValues,
        why: 'there are too many attributes: list those that matter in attribute_schema',
      });
    return { codes: codes.sort((one, other) => rankOf(one) - rankOf(other)), leftOut };
  }
}

/** Turns COPY fields into tokens. */
export function fieldEncoder(codes: readonly AttributeCode[]): (field: string) => number[] {
  const encode = encoder(codes);
  return (field) => encode(parseAttributes(field));
}
