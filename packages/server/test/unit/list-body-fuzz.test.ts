import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { parseListBody } from '../../src/http/body/parse-list-body.ts';
import { UnparsedRecord } from '../../src/http/body/records.ts';
import { parseJson } from '../../src/kernel/lib/json.ts';
import type { Slice } from '../../src/kernel/lib/slices.ts';
import { fuzzRuns } from './fuzz-runs.ts';

/** FUZZ_SEED repeats a run. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);

const slice: Slice = { isOver: () => false, next: async () => undefined };
const list = { name: 'events', maxElements: 1000, elementBytes: 100_000, idField: 'event_id' };

/** mulberry32 */
function randomOf(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const sources = [
  '{"event_dataset_id":"x","events":[{"event_id":"a","ts":1},{"event_id":"b"}]}',
  ' {"events" : [ 1 , "two" , [3,[4]] , {"five":{"six":[]}} , null , true ] , "n" : -1.5e+3 } ',
  '{"events":[],"other":{"events":[1,2]},"list":[{"events":[3]}]}',
  '{"events":["a\\"b","\\\\","[","]}",",",":","\\u0041"],"\\u0065vents":[{"x\\n":1}]}',
  '{"a":1,"\\u0065\\u0076ents":[{"é€😀":"é€😀"}],"events\\u0000":[]}',
  '[{"events":[1]}]',
  '{"events":{"events":[1,2]},"events":5,"events":[[[]],[{}]]}',
  '{"events":[\n\t{ "attributes" : { "a" : [ 1 , 2 ] } }\r\n]\n}\n',
  '"events"',
];
const inserts = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"',
  '\\',
  ' ',
  '\n',
  '1',
  '-',
  '.',
  'e',
  'true',
  '""',
  '[]',
  '{}',
];
const pieces = [',"events":', '"events":[', '[1]', '\\u0041', '\ufeff', '"x":', '\u0000', 'é', '\\"', '},{'];

function mutate(random: (below: number) => number): string {
  let text = sources[random(sources.length)] ?? '';
  for (let changes = random(4); changes > 0; changes--) {
    const at = random(text.length + 1);
    const other = sources[random(sources.length)] ?? '';
    const from = random(other.length);
    const change = [
      '',
      inserts[random(inserts.length)] ?? '',
      pieces[random(pieces.length)] ?? '',
      other.slice(from, from + random(12)),
    ][random(4)];
    text = text.slice(0, at) + (change ?? '') + text.slice(at + random(3));
  }
  return text.toWellFormed();
}

function withParsedRecords(value: unknown): unknown {
  const { events } = (value ?? {}) as { events?: unknown };
  if (!Array.isArray(events)) return value;
  const parsed = events.map((record: unknown) =>
    record instanceof UnparsedRecord ? UnparsedRecord.parse(record) : record,
  );
  return Object.assign(value as object, { events: parsed });
}

type Outcome = { readonly value: unknown } | 'refused';

function outcomeOf(text: string): Outcome {
  try {
    JSON.parse(text);
    // The expected value is that of JSON.parse without V8's bug with escaped keys.
    return { value: parseJson(text) };
  } catch {
    return 'refused';
  }
}

async function scannedOutcome(text: string, stepBytes: number): Promise<Outcome> {
  try {
    const value = await parseListBody(Buffer.from(text), list, { envelopeBytes: 10_000, slice, stepBytes });
    return { value: withParsedRecords(value) };
  } catch {
    return 'refused';
  }
}

test('parsing a body element by element gives the same value as JSON.parse', {
  timeout: 3_600_000,
}, async () => {
  const random = randomOf(seed);
  // Most bodies are invalid; the stack traces of the errors are not needed.
  Error.stackTraceLimit = 0;
  let accepted = 0;
  for (let n = 0; n < fuzzRuns; n++) {
    const text = mutate(random);
    const expected = outcomeOf(text);
    const found = await scannedOutcome(text, 1 + random(40));
    if (!isDeepStrictEqual(found, expected))
      expect({ seed, text, found }).toEqual({ seed, text, found: expected });
    if (expected !== 'refused') accepted++;
  }
  expect(accepted).toBeGreaterThan(fuzzRuns / 10);
  expect(accepted).toBeLessThan(fuzzRuns);
});
