/** Seeded uniform numbers in [0, 1): mulberry32. The same seed gives the same choice on any machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In place (Fisher-Yates): every order is equally likely. */
export function shuffle(numbers: Uint32Array, random: () => number): void {
  for (let place = numbers.length - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    const held = numbers[place]!;
    numbers[place] = numbers[other]!;
    numbers[other] = held;
  }
}

/** Draws `count` elements of `from`, each equally likely, in the order in which they were drawn. */
export function draw<T>(from: Iterable<T>, count: number, random: () => number): T[] {
  const drawn = [...from];
  const size = Math.min(count, drawn.length);
  for (let index = 0; index < size; index++) {
    const other = index + Math.floor(random() * (drawn.length - index));
    [drawn[index], drawn[other]] = [drawn[other]!, drawn[index]!];
  }
  return drawn.slice(0, size);
}
