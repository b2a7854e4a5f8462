import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { usualPort, welcome } from '../src/command/screen.ts';

const it = {
  baseUrl: 'http://127.0.0.1:8081',
  isPortMoved: false,
  apiKey: 'key',
  apiSecret: 'secret',
  consoleLink: 'http://127.0.0.1:8081/sign-in#once',
  postgres: 'started',
  redis: 'started',
  serverLog: '.dev/server.log',
  seconds: 3,
};
const linesOf = (screen: string) => stripVTControlCharacters(screen).split('\n');

test('the screen has what the command line needs, ready to paste, and where the console and the documentation are', () => {
  const lines = linesOf(welcome(it));
  expect(lines).toEqual(
    expect.arrayContaining([
      'export TASTEGRAPH_URL=http://127.0.0.1:8081',
      'export TASTEGRAPH_API_KEY=key',
      'export TASTEGRAPH_API_SECRET=secret',
    ]),
  );
  for (const link of [it.consoleLink, `${it.baseUrl}/docs`])
    expect(lines.filter((line) => line.endsWith(link))).toHaveLength(1);
});

test('the screen says so if the usual port is taken', () => {
  const isNamed = (isPortMoved: boolean) => welcome({ ...it, isPortMoved }).includes(String(usualPort));
  expect([isNamed(true), isNamed(false)]).toEqual([true, false]);
});
