import type { VectorCode } from '../data/attributes.ts';
import { Reservoir } from '../lib/reservoir.ts';
import { learnAreas } from './areas.ts';
import { packVector } from './pack.ts';

/** Enough for a few hundred areas, in at most 4 MB. */
const sampleSize = 4096;

/** A sample of an attribute's vectors, from which its areas are learned. Values of another length are left out. */
export class VectorSample {
  readonly #length: number;
  readonly #sample = new Reservoir<Int8Array>(sampleSize);

  constructor(length: number) {
    this.#length = length;
  }

  add(value: unknown): void {
    const packed = packVector(value, this.#length);
    if (packed) this.#sample.add(packed);
  }

  codeOf(name: string): VectorCode {
    const { kept } = this.#sample;
    const vectors = new Int8Array(kept.length * this.#length);
    for (const [place, vector] of kept.entries()) vectors.set(vector, place * this.#length);
    return { name, kind: 'VECTOR', length: this.#length, areas: learnAreas(vectors, this.#length) };
  }
}
