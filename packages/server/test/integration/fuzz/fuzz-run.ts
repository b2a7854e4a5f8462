import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** FUZZ_SEED repeats a run. FUZZ_SCALE multiplies its length. */
export const fuzzSeed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const scale = Number(process.env['FUZZ_SCALE'] ?? 1);

/** The number of cases checked, by property. A case is one generated request or record. */
export const casesOf: Record<string, number> = {};

/** Concurrent cases, enough to keep the server busy. */
const atOnce = 16;

/** Checks the given number of cases of a property, several concurrently. */
export async function forAll<T>(
  property: string,
  cases: number,
  arbitrary: fc.Arbitrary<T>,
  judge: (value: T) => Promise<unknown>,
): Promise<void> {
  const group = fc.array(arbitrary, { minLength: atOnce, maxLength: atOnce });
  await inGroups(property, cases / atOnce, group, async (values) => {
    await Promise.all(values.map((value) => judge(value).catch((error: unknown) => blame(value, error))));
    return values.length;
  });
}

/** Adds the failed case to the error. */
function blame(value: unknown, error: unknown): never {
  throw new Error(`${fc.stringify(value).slice(0, 2000)}\n${String(error)}`, { cause: error });
}

/** Checks groups of related cases. `judge` returns how many cases it has checked. */
export async function inGroups<T>(
  property: string,
  groups: number,
  arbitrary: fc.Arbitrary<T>,
  judge: (value: T) => Promise<number>,
): Promise<void> {
  casesOf[property] ??= 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => {
      const judged = await judge(value);
      casesOf[property] = (casesOf[property] ?? 0) + judged;
    }),
    { seed: fuzzSeed, numRuns: Math.ceil(groups * scale), endOnFailure: true },
  );
}
