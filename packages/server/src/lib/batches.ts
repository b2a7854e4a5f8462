interface Waiting<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** Batches under way. */
  readonly atOnce: number;
  /** Inputs of a batch. */
  readonly most: number;
}

/**
 * Does for many together what each asks for alone. Who asks in one turn of the event loop goes together; who asks while
 * `atOnce` batches are under way goes with all who wait then. So nobody waits while little is asked, and the more is asked,
 * the less each costs. `work` answers in the order of its inputs; when it fails, it fails for all of them.
 */
export function inBatches<Input, Output>(
  { atOnce, most }: BatchOptions,
  work: (inputs: Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const waiting: Waiting<Input, Output>[] = [];
  let underWay = 0;
  /** Of those under way, what begins in the next turn and so will take who waits now. */
  let beginning = 0;

  const runOne = async () => {
    const batch = waiting.splice(0, most);
    try {
      const outputs = await work(batch.map(({ input }) => input));
      for (const [place, { resolve }] of batch.entries()) resolve(outputs[place] as Output);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const runAll = async () => {
    beginning--;
    while (waiting.length > 0) await runOne();
    underWay--;
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (underWay === atOnce || beginning * most >= waiting.length) return;
      underWay++;
      beginning++;
      setImmediate(() => void runAll());
    });
}
