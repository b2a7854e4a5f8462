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

/** The attributes of a user or item, from the field that COPY gave. */
export function parseAttributes(field: string): AttributeRecord {
  // Most often: no text to decode, no object to make.
  return field === '{}' ? noAttributes : (parseJson(decodeText(field)) as AttributeRecord);
}

/** The codes of a dataset's attributes, in one pass. */
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
      if (!code) leftOut.push({ what, count: bearers, why: 'it is TEXT, which G1 does not read' });
      else if (countTokens([code]) > 0) codes.push(code);
      else leftOut.push({ what, count: bearers, why: `too few ${this.#kind}s share a value of it` });
    }
    if (this.#learner.passedOver > 0)
      leftOut.push({
        what: `values of further ${this.#kind} attributes`,
        count: this.#learner.passedOver,
        why: 'there are too many attributes: declare those that matter in attribute_schema',
      });
    return { codes, leftOut };
  }
}

/** Tokens of the fields that COPY gives. */
export function fieldEncoder(codes: readonly AttributeCode[]): (field: string) => number[] {
  const encode = encoder(codes);
  return (field) => encode(parseAttributes(field));
}
