import {
  type AttributeCode,
  type AttributeRecord,
  CodeLearner,
  countTokens,
  encoder,
} from '@tastegraph/algorithms';
import { parseJson } from '../../lib/json.ts';
import { decodeText } from '../../storage/postgres/copy-rows.ts';
import type { SourceDataset } from '../../storage/postgres/training-source.ts';
import type { LeftOut } from './training-input.ts';

const noAttributes: AttributeRecord = {};

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
    this.#learner = new CodeLearner(schema ?? {});
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
      const shared = code.kind === 'TEXT' ? 'word' : 'value';
      if (countTokens([code]) > 0) codes.push(code);
      else leftOut.push({ what, count: bearers, why: `too few ${this.#kind}s share a ${shared} of it` });
    }
    if (this.#learner.ignoredValues > 0)
      leftOut.push({
        what: `values of other ${this.#kind} attributes`,
        count: this.#learner.ignoredValues,
        why: 'there are too many attributes: list those that matter in attribute_schema',
      });
    // Words last, so that one number tells which columns are words.
    codes.sort((one, other) => Number(one.kind === 'TEXT') - Number(other.kind === 'TEXT'));
    return { codes, leftOut };
  }
}

/** Turns COPY fields into tokens. */
export function fieldEncoder(codes: readonly AttributeCode[]): (field: string) => number[] {
  const encode = encoder(codes);
  return (field) => encode(parseAttributes(field));
}
