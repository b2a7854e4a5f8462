/**
 * The `k` best of a stream of (index, score), by score, then by the smaller index. This order is total, so the result
 * does not depend on the order of the stream. A heap with the worst kept entry at the root; one comparison rejects most
 * candidates of a long stream.
 */
export class TopK {
  readonly indices: Uint32Array;
  readonly scores: Float64Array;
  readonly k: number;
  size = 0;

  constructor(k: number) {
    this.k = k;
    this.indices = new Uint32Array(k);
    this.scores = new Float64Array(k);
  }

  clear(): void {
    this.size = 0;
  }

  offer(index: number, score: number): void {
    if (this.size < this.k) this.#rise(this.size++, index, score);
    else if (this.takes(index, score)) this.#sink(this.size, index, score);
  }

  /** Whether the entry would be kept if it were offered now. */
  takes(index: number, score: number): boolean {
    return this.size < this.k || (this.k > 0 && !this.#worse(index, score, 0));
  }

  /** Sorts the kept entries from best to worst, in place. This destroys the heap: call `clear` before the next stream. */
  sort(): void {
    for (let end = this.size - 1; end > 0; end--) {
      const index = this.indices[end]!;
      const score = this.scores[end]!;
      this.indices[end] = this.indices[0]!;
      this.scores[end] = this.scores[0]!;
      this.#sink(end, index, score);
    }
  }

  #rise(start: number, index: number, score: number): void {
    let place = start;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#worse(index, score, parent)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, index, score);
  }

  #sink(size: number, index: number, score: number): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#worse(this.indices[child + 1]!, this.scores[child + 1]!, child)) child++;
      if (this.#worse(index, score, child)) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, index, score);
  }

  #worse(index: number, score: number, place: number): boolean {
    const other = this.scores[place]!;
    return score < other || (score === other && index > this.indices[place]!);
  }

  #move(from: number, to: number): void {
    this.indices[to] = this.indices[from]!;
    this.scores[to] = this.scores[from]!;
  }

  #put(place: number, index: number, score: number): void {
    this.indices[place] = index;
    this.scores[place] = score;
  }
}
