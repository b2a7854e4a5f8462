import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { command, Workplace } from './command-line.ts';

const place = new Workplace();
beforeAll(async () => {
  await place.logIn();
  writeFileSync(place.path('films.csv'), 'movieId,title\n1,Alien\n2,Heat\n');
  writeFileSync(place.path('ratings.csv'), 'user_id,item_id,ts,rating\nu,1,1700000000,3\n');
  writeFileSync(place.path('list.json'), '[{"user_id": "u"}]');
});

describe('what goes wrong says what to do next, and ends with its code', () => {
  test.each([
    [
      'an unknown project',
      ['train', '--project', 'prj_none'],
      4,
      'no project prj_none',
      'tastegraph project list',
    ],
    [
      'an unknown project by name',
      ['jobs', '--project', 'none'],
      4,
      'no project none',
      'tastegraph project list',
    ],
    [
      'an unknown dataset',
      ['import', 'items', 'films.csv', '--dataset', 'ids_none'],
      4,
      'no dataset',
      'tastegraph datasets',
    ],
    ['no dataset', ['import', 'items', 'films.csv'], 2, 'where the records go', '--create'],
    [
      'a file that is not there',
      ['import', 'items', 'gone.csv', '--create', 'x'],
      4,
      'gone.csv',
      'Check the name',
    ],
    [
      'no column for the type',
      ['import', 'events', 'ratings.csv', '--create', 'x'],
      2,
      'event_type',
      '--event-type',
    ],
    [
      'a column that is not there',
      ['import', 'items', 'films.csv', '--create', 'x', '--map', 'item_id=id'],
      2,
      'no column id',
      'movieId, title',
    ],
    ['a JSON array', ['import', 'users', 'list.json', '--create', 'x'], 2, 'JSON array', 'jq -c'],
    ['an unknown option', ['datasets', '--frob'], 2, "unknown option '--frob'", '--help'],
    ['an unknown command', ['frobnicate'], 2, "unknown command 'frobnicate'", '--help'],
    ['a missing argument', ['recommend'], 2, "missing required argument 'user'", 'recommend --help'],
    ['a wrong number', ['deploy', '--qps', 'many'], 2, 'whole number', 'deploy --help'],
    [
      'an unknown dataset to delete',
      ['datasets', 'delete', 'users', 'x'],
      4,
      'no dataset of users x',
      'tastegraph datasets',
    ],
  ])('%s', async (_, args, code, message, next) => {
    const plain = await place.run(args);
    expect(plain, plain.stderr).toMatchObject({ code, stdout: '' });
    const [error = '', advice = ''] = plain.stderr.trimEnd().split('\n').slice(-2);
    expect(error).toContain(message);
    expect(advice).toMatch(/^next: /);
    expect(advice).toContain(next);
    const told = (await place.run([...args, '--json'])).stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(told)).toMatchObject({
      error: { exit_code: code, message: expect.stringContaining(message) as string },
    });
  });

  test.each([
    ['wrong credentials', { TASTEGRAPH_API_SECRET: 'tgs_wrong' }, 3, 'tastegraph login'],
    [
      'a service that is not there',
      { TASTEGRAPH_URL: 'http://127.0.0.1:9' },
      6,
      'Check that the service runs',
    ],
    ['not logged in', { XDG_CONFIG_HOME: '/nowhere' }, 3, 'Run `tastegraph login`'],
  ] as const)('%s', async (_, env, code, next) => {
    const ended = await place.run(['datasets'], { env });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(`next: `);
    expect(ended.stderr).toContain(next);
    expect(ended.stderr).not.toContain('tgs_wrong');
  });

  test('an address that is some other server', async () => {
    const { code, stderr } = await place.run(['datasets'], {
      env: { TASTEGRAPH_URL: `${inject('baseUrl')}/docs` },
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('next: ');
  });

  test('a configuration that others may read is not used', async () => {
    const exposed = new Workplace();
    await exposed.logIn();
    chmodSync(exposed.path('tastegraph/config.json'), 0o644);
    const { code, stderr } = await exposed.run(['datasets']);
    expect(code).toBe(3);
    expect(stderr).toContain('chmod 600');
  });
});

test('a wrong secret is not stored', async () => {
  const fresh = new Workplace();
  mkdirSync(fresh.path('tastegraph'));
  const args = ['login', '--url', inject('baseUrl'), '--key', inject('apiKey')];
  expect(await fresh.run(args, { input: 'tgs_wrong' })).toMatchObject({ code: 3 });
  expect(await fresh.run(['datasets'])).toMatchObject({ code: 3 });
});

test('at a terminal the secret is asked for without echo, and the mapping is confirmed', async () => {
  const fresh = new Workplace();
  /** `script` gives the command a terminal, and types what is written to it. */
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
  const refused = await atTerminal(`${command} import items films.csv --create refused`, [
    ['Import it so?', 'n'],
  ]);
  expect(refused).toMatchObject({ code: 2 });
  const { datasets } = await fresh.json<{ datasets: { name: string }[] }>(['datasets', '--kind', 'items']);
  expect(datasets.map(({ name }) => name)).not.toContain('refused');
  const taken = await atTerminal(`${command} import items films.csv --create taken`, [
    ['Import it so?', 'y'],
  ]);
  expect(taken.stdout).toContain('2 written');
});

describe('completion', () => {
  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
  /** Has each shell load the script as a person would, and print what it offers for the last word; "files" for those. */
  const asking: Readonly<Record<string, (words: readonly string[]) => string>> = {
    bash: (words) => `source completion; complete -p tastegraph >&2
      COMP_WORDS=(tastegraph ${quoted(words)}); COMP_CWORD=${words.length}; _tastegraph
      if (( \${#COMPREPLY[@]} )); then printf '%s\\n' "\${COMPREPLY[@]}"; else echo files; fi`,
    zsh: (words) => `autoload -Uz compinit; compinit -D -u; source ./completion; print -u2 $_comps[tastegraph]
      compadd() { shift; print -l -- "$@" }; _files() { print files }
      words=(tastegraph ${quoted(words)}); CURRENT=$#words; _tastegraph`,
    fish: (words) => `source completion; complete tastegraph >&2; touch files
      complete -C '${['tastegraph', ...words].join(' ')}'`,
  };

  test.each(['bash', 'zsh', 'fish'])('in %s knows commands, options and choices', async (shell) => {
    writeFileSync(place.path('completion'), (await place.run(['completion', shell])).stdout);
    const { PATH = '' } = process.env;
    const env = { PATH: `${new URL('../../packages/cli', import.meta.url).pathname}:${PATH}` };
    const offered = async (...words: string[]) => {
      const line = asking[shell]?.(words) ?? '';
      const { stdout, stderr } = await place.runProgram(shell, ['-c', line], { env });
      expect(stderr).toContain('tastegraph');
      return stdout.trimEnd().split('\n').toSorted();
    };
    expect(await offered('d')).toEqual(['datasets', 'deploy']);
    expect(await offered('import', '')).toEqual(expect.arrayContaining(['events', 'items', 'users']));
    expect(await offered('import', 'events', '--fo')).toEqual(['--format']);
    expect(await offered('import', 'events', 'f.csv', '--format', 'n')).toEqual(['ndjson']);
    expect(await offered('query', '')).toEqual(expect.arrayContaining(['distribution', 'help', 'list']));
    expect(await offered('import', 'events', '')).toContain('files');
  });
});
