/** The results of `work` in the order of the values, with up to `concurrency` of them in progress. After a failure, none is. */
export async function* inOrder<Value, Result>(
  values: Iterable<Value> | AsyncIterable<Value>,
  concurrency: number,
  work: (value: Value) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const inFlight: Promise<Result>[] = [];
  try {
    for await (const value of values) {
      const result = work(value);
      // Awaited later. Until then, this keeps a rejection from being unhandled.
      result.catch(() => undefined);
      const first = inFlight.push(result) >= concurrency ? inFlight.shift() : undefined;
      if (first) yield await first;
    }
    for (const result of inFlight) yield await result;
  } finally {
    await Promise.allSettled(inFlight);
  }
}
