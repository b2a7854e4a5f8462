import { expect, test } from 'vitest';
import { KeyUses } from '../../src/keys/key-uses.ts';

function startUses() {
  let now = 1_000_000;
  const written: [string, number][][] = [];
  const uses = new KeyUses(
    async (batch) => {
      written.push([...batch]);
    },
    () => now,
  );
  return { uses, written, pass: (ms: number) => (now += ms) };
}

test('the use of a key is written once per minute, with the time of its last call', async () => {
  const { uses, written, pass } = startUses();
  for (let n = 0; n < 1000; n++) uses.note('a');
  pass(3000);
  uses.note('a');
  uses.note('b');
  await uses.flush();
  pass(59_000);
  uses.note('a');
  await uses.flush();
  pass(1000);
  uses.note('a');
  await uses.flush();
  expect(written).toEqual([
    [
      ['a', 1_003_000],
      ['b', 1_003_000],
    ],
    [['a', 1_063_000]],
  ]);
});

test('nothing is written without calls', async () => {
  const { uses, written } = startUses();
  await uses.flush();
  expect(written).toEqual([]);
});

test('what is remembered is bounded, whatever the number of keys', async () => {
  const { uses, written, pass } = startUses();
  for (let n = 0; n < 30_000; n++) uses.note(`key-${n}`);
  await uses.flush();
  pass(1000);
  for (let n = 30_000; n < 60_000; n++) uses.note(`key-${n}`);
  await uses.flush();
  expect(written.map((batch) => batch.length)).toEqual([10_000, 10_000]);
});

test('a write that fails keeps no call from being noted later', async () => {
  let now = 0;
  let fails = true;
  const written: string[] = [];
  const uses = new KeyUses(
    async (batch) => {
      if (fails) throw new Error('down');
      written.push(...batch.keys());
    },
    () => now,
  );
  uses.note('a');
  await expect(uses.flush()).rejects.toThrow('down');
  fails = false;
  now += 60_000;
  uses.note('a');
  await uses.flush();
  expect(written).toEqual(['a']);
});
