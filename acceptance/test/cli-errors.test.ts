import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { CliSandbox, command } from './cli-sandbox.ts';

const cli = new CliSandbox();
beforeAll(async () => {
  await cli.logIn();
  writeFileSync(cli.path('films.csv'), 'movieId,title\n1,Alien\n2,Heat\n');
  writeFileSync(cli.path('ratings.csv'), 'user_id,item_id,ts,rating\nu,1,1700000000,3\n');
  writeFileSync(cli.path('list.json'), '[{"user_id": "u"}]');
});

describe('every error says what to do next and has its exit code', () => {
  test.each([
    ['an unknown project', ['train', '--project', 'prj_none'], 4, 'prj_none', 'tastegraph project list'],
    ['an unknown project by name', ['jobs', '--project', 'none'], 4, 'none', 'tastegraph project list'],
    [
      'an unknown dataset',
      ['import', 'items', 'films.csv', '--dataset', 'ids_none'],
      4,
      'ids_none',
      'tastegraph datasets',
    ],
    ['no dataset', ['import', 'items', 'films.csv'], 2, '--dataset', '--create'],
    ['a file that does not exist', ['import', 'items', 'gone.csv', '--create', 'x'], 4, 'gone.csv', 'path'],
    [
      'no column for the event type',
      ['import', 'events', 'ratings.csv', '--create', 'x'],
      2,
      'event_type',
      '--event-type',
    ],
    [
      'a column that does not exist',
      ['import', 'items', 'films.csv', '--create', 'x', '--map', 'item_id=id'],
      2,
      'id',
      'movieId, title',
    ],
    ['a JSON array', ['import', 'users', 'list.json', '--create', 'x'], 2, 'JSON array', 'jq -c'],
    ['an unknown option', ['datasets', '--frob'], 2, "unknown option '--frob'", '--help'],
    ['an unknown command', ['frobnicate'], 2, "unknown command 'frobnicate'", '--help'],
    ['a missing argument', ['erase'], 2, "missing required argument 'user'", 'erase --help'],
    ['an invalid number', ['deploy', '--qps', 'many'], 2, 'whole number', 'deploy --help'],
    [
      'an unknown dataset to delete',
      ['datasets', 'delete', 'users', 'x'],
      4,
      'dataset x',
      'tastegraph datasets',
    ],
  ])('%s', async (_, args, code, message, next) => {
    const plain = await cli.run(args);
    expect(plain, plain.stderr).toMatchObject({ code, stdout: '' });
    const [error = '', advice = ''] = plain.stderr.trimEnd().split('\n').slice(-2);
    expect(error).toContain(message);
    expect(advice).toMatch(/^next: /);
    expect(advice).toContain(next);
    const json = (await cli.run([...args, '--json'])).stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(json)).toMatchObject({
      error: { exit_code: code, message: expect.stringContaining(message) as string },
    });
  });

  test.each([
    ['wrong credentials', { TASTEGRAPH_API_SECRET: 'tgs_wrong' }, 3, 'tastegraph login'],
    ['a service that is not running', { TASTEGRAPH_URL: 'http://127.0.0.1:9' }, 6, 'TASTEGRAPH_URL'],
    ['not logged in', { XDG_CONFIG_HOME: '/nowhere' }, 3, '`tastegraph login`'],
  ] as const)('%s', async (_, env, code, next) => {
    const result = await cli.run(['datasets'], { env });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(`next: `);
    expect(result.stderr).toContain(next);
    expect(result.stderr).not.toContain('tgs_wrong');
  });

  test('a URL of another server', async () => {
    const { code, stderr } = await cli.run(['datasets'], {
      env: { TASTEGRAPH_URL: `${inject('baseUrl')}/docs` },
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('next: ');
  });

  test('a config file that other users can read is not used', async () => {
    const exposed = new CliSandbox();
    await exposed.logIn();
    chmodSync(exposed.path('tastegraph/config.json'), 0o644);
    const { code, stderr } = await exposed.run(['datasets']);
    expect(code).toBe(3);
    expect(stderr).toContain('chmod 600');
  });
});

test('a wrong secret is not stored', async () => {
  const fresh = new CliSandbox();
  mkdirSync(fresh.path('tastegraph'));
  const args = ['login', '--url', inject('baseUrl'), '--key', inject('apiKey')];
  expect(await fresh.run(args, { input: 'tgs_wrong' })).toMatchObject({ code: 3 });
  expect(await fresh.run(['datasets'])).toMatchObject({ code: 3 });
});

test('on a terminal, login prompts for the secret without echo and import asks to confirm the mapping', async () => {
  const fresh = new CliSandbox();
  /** `script` runs the command in a terminal and forwards its stdin as keystrokes. */
  const atTerminal = (line: string, answers: readonly (readonly [prompt: string, answer: string])[]) =>
    fresh.runProgram('script', ['-qec', line, '/dev/null'], {
      env: { TERM: 'xterm' },
      async during(child) {
        let seen = '';
        child.stdout?.on('data', (text: string) => (seen += text));
        for (const [prompt, answer] of answers) {
          while (!seen.includes(prompt) && child.stdout) await once(child.stdout, 'data');
          seen = '';
          child.stdin?.write(`${answer}\r`);
        }
      },
    });
  const login = await atTerminal(`${command} login --url ${inject('baseUrl')}`, [
    ['API key', inject('apiKey')],
    ['API secret', inject('apiSecret')],
  ]);
  expect(login).toMatchObject({ code: 0 });
  expect(login.stdout).toContain('Logged in');

  writeFileSync(fresh.path('films.csv'), 'movieId,title\n1,Alien\n2,Heat\n');
  const refused = await atTerminal(`${command} import items films.csv --create refused`, [['[Y/n]', 'n']]);
  expect(refused).toMatchObject({ code: 2 });
  const { datasets } = await fresh.json<{ datasets: { name: string }[] }>(['datasets', '--kind', 'items']);
  expect(datasets.map(({ name }) => name)).not.toContain('refused');
  const accepted = await atTerminal(`${command} import items films.csv --create accepted`, [['[Y/n]', 'y']]);
  expect(accepted.stdout).toContain('2 written');
});
