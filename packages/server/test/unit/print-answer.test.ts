import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { printAnswer } from '../../src/processes/print-answer.ts';

const log = vi.spyOn(console, 'log');
beforeEach(() => log.mockImplementation(() => undefined));
afterEach(() => log.mockReset());

function printed(answer: object, asJson = false): string {
  printAnswer(answer, asJson);
  return String(log.mock.calls.at(-1)?.[0]);
}

test('a list is a table with aligned columns, numbers to the right', () => {
  const answer = {
    accounts: [
      { name: 'acme', created_ts: 0, records: 1_234_567, cap: null },
      { name: 'a longer name', created_ts: 60_000, records: 5, cap: 0.125 },
    ],
  };
  expect(printed(answer)).toBe(
    [
      'name                 created_ts    records   cap',
      'acme           1970-01-01 00:00  1,234,567     -',
      'a longer name  1970-01-01 00:01          5  0.13',
    ].join('\n'),
  );
  expect(printed({ keys: [] })).toBe('no keys');
});

test('fields are lines, and lists beside them have their name', () => {
  expect(printed({ plan: 'default', calls: [{ errors: 1 }] })).toBe(
    'plan: "default"\n\ncalls\nerrors\n     1',
  );
});

test('names cannot control the terminal', () => {
  expect(printed({ keys: [{ name: 'a\u001b[2Jb\nc' }] })).toBe('name\na [2Jb c');
});

test('as JSON, it is one line', () => {
  expect(printed({ keys: [{ name: 'a' }] }, true)).toBe('{"keys":[{"name":"a"}]}');
});
