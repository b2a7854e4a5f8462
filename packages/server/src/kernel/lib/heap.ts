/** A binary heap: `pop` returns the element that comes first in the order of `compare`. */
export class Heap<T> {
  readonly #elements: T[] = [];
  readonly #compare: (one: T, other: T) => number;

  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#elements.length;
  }

  peek(): T | undefined {
    return this.#elements[0];
  }

  push(element: T): void {
    const elements = this.#elements;
    let place = elements.length;
    while (place > 0) {
      const parentPlace = (place - 1) >> 1;
      const parent = elements[parentPlace] as T;
      if (this.#compare(parent, element) <= 0) break;
      elements[place] = parent;
      place = parentPlace;
    }
    elements[place] = element;
  }

  pop(): T | undefined {
    const elements = this.#elements;
    const first = elements[0];
    const last = elements.pop();
    if (last !== undefined && elements.length > 0) this.#sink(last);
    return first;
  }

  /** Puts the element where it belongs, starting at the root. */
  #sink(element: T): void {
    const elements = this.#elements;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= elements.length) break;
      const right = child + 1;
      if (right < elements.length && this.#compare(elements[right] as T, elements[child] as T) < 0)
        child = right;
      if (this.#compare(element, elements[child] as T) <= 0) break;
      elements[place] = elements[child] as T;
      place = child;
    }
    elements[place] = element;
  }
}
