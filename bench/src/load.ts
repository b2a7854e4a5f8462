/** Runs the works over so many lanes, each taking the next; answers the seconds it took. */
export async function drain<Work, Lane>(
  works: readonly Work[],
  lanes: readonly Lane[],
  run: (lane: Lane, work: Work) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let work = works[next++]; work !== undefined; work = works[next++]) await run(lane, work);
    }),
  );
  return (performance.now() - startedAt) / 1000;
}

/** Calls again and again, with a pause, until `stopping`; answers how long each took, in milliseconds. */
export async function probe(
  call: () => Promise<unknown>,
  pauseMs: number,
  stopping: AbortSignal,
): Promise<number[]> {
  const latencies: number[] = [];
  while (!stopping.aborted) {
    const startedAt = performance.now();
    await call();
    latencies.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return latencies;
}
