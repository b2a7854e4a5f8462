import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inBatches } from '../../src/lib/batches.ts';

/** Doubles numbers, in batches that end when they are told to. */
function doubler(options: { atOnce: number; most: number }) {
  const batches: { inputs: number[]; end: (error?: Error) => void }[] = [];
  const ask = inBatches<number, number>(
    options,
    (inputs) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(inputs.map((input) => 2 * input)));
        batches.push({ inputs, end });
      }),
  );
  return { ask, batches, inputs: () => batches.map((batch) => batch.inputs) };
}

test('those who ask in one turn go together, each with its own answer', async () => {
  const { ask, batches, inputs } = doubler({ atOnce: 2, most: 10 });
  const answers = [1, 2, 3].map(ask);
  await nextTurn();
  expect(inputs()).toEqual([[1, 2, 3]]);
  batches[0]?.end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6]);
});

test('while all batches are under way others wait, and then go together, no more than fit', async () => {
  const { ask, batches, inputs } = doubler({ atOnce: 2, most: 3 });
  const answers: Promise<number>[] = [];
  for (const input of [1, 2, 3, 4, 5, 6]) {
    answers.push(ask(input));
    await nextTurn();
  }
  expect(inputs()).toEqual([[1], [2]]);
  batches[1]?.end();
  await nextTurn();
  expect(inputs()).toEqual([[1], [2], [3, 4, 5]]);
  batches[0]?.end();
  await nextTurn();
  expect(inputs()).toEqual([[1], [2], [3, 4, 5], [6]]);
  for (const { end } of batches) end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10, 12]);
});

test('many in one turn begin as many batches as they need and may', async () => {
  const { ask, batches, inputs } = doubler({ atOnce: 2, most: 2 });
  const answers = [1, 2, 3, 4, 5].map(ask);
  await nextTurn();
  expect(inputs()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const { end } of batches) end();
  await nextTurn();
  expect(inputs().at(-1)).toEqual([5]);
  batches.at(-1)?.end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10]);
});

test('a batch that fails fails for those in it, and the next ones go on', async () => {
  const { ask, batches } = doubler({ atOnce: 1, most: 2 });
  const answers = [1, 2, 3].map(ask);
  await nextTurn();
  batches[0]?.end(new Error('away'));
  await expect(answers[0]).rejects.toThrow('away');
  await expect(answers[1]).rejects.toThrow('away');
  await nextTurn();
  batches[1]?.end();
  expect(await answers[2]).toBe(6);
});
