/** Runs all tasks; each worker takes the next task when it is free. Returns the duration in seconds. */
export async function runConcurrently<Task, Worker>(
  tasks: readonly Task[],
  workers: readonly Worker[],
  run: (lane: Worker, work: Task) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    workers.map(async (lane) => {
      for (let work = tasks[next++]; work !== undefined; work = tasks[next++]) await run(lane, work);
    }),
  );
  return (performance.now() - startedAt) / 1000;
}

/** Repeats a call, with a pause after each, until `stopping`. Returns the latencies in milliseconds. */
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
