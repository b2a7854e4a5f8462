import { describe, expect, test } from 'vitest';
import { ConfigError, type Role, readConfig } from '../../src/config.ts';
import { memoryLimit } from '../../src/kernel/lib/memory.ts';
import { settingNames } from '../../src/settings.ts';

const minimal = { DATABASE_URL: 'postgres://localhost/x' };

/** The names of the settings that are reported, sorted. */
function problemsOf(read: () => unknown): (string | undefined)[] {
  try {
    read();
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message
      .split('\n')
      .map((line) => line.split(' ')[0])
      .toSorted();
  }
}

describe('readConfig', () => {
  test('without a role, requires only a database, and has defaults for everything else', () => {
    expect(readConfig(minimal)).toMatchObject({
      databaseUrl: minimal.DATABASE_URL,
      databasePoolSize: 16,
      host: '127.0.0.1',
      port: 8080,
      cell: 'main',
      logLevel: 'info',
      drainSeconds: 0,
    });
    expect(readConfig(minimal).redisUrl).toBeUndefined();
    expect(readConfig(minimal).trustProxy).toBeUndefined();
    expect(readConfig(minimal).metricsPort).toBeUndefined();
  });

  test('has an identity provider if all of it is set, over https unless it is on this machine', () => {
    const oidc = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'tastegraph' };
    const role = 'api' as const;
    const api = { ...minimal, OBJECTS_URL: 'file:///x' };
    expect(readConfig(api, { role }).console.oidc).toBeUndefined();
    expect(readConfig({ ...api, ...oidc, OIDC_CLIENT_SECRET: 's' }, { role }).console.oidc).toEqual({
      issuer: oidc.OIDC_ISSUER,
      clientId: 'tastegraph',
      clientSecret: 's',
      name: 'single sign-on',
    });
    const problems = (settings: Record<string, string>) =>
      problemsOf(() => readConfig({ ...api, ...settings }, { role }));
    expect(problems({ OIDC_ISSUER: oidc.OIDC_ISSUER })).toEqual(['OIDC_CLIENT_ID']);
    expect(problems({ OIDC_CLIENT_ID: 'tastegraph' })).toEqual(['OIDC_ISSUER']);
    for (const issuer of [
      'http://login.example.com',
      'login.example.com',
      'https://a.example/?x',
      'https://u@a.example',
    ])
      expect(problems({ ...oidc, OIDC_ISSUER: issuer })).toEqual(['OIDC_ISSUER']);
    for (const issuer of ['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000/realms/x'])
      expect(problems({ ...oidc, OIDC_ISSUER: issuer })).toEqual([]);
  });

  test('takes what is set', () => {
    const environment = {
      DATABASE_URL: 'postgres://db/x',
      DATABASE_POOL_SIZE: '500',
      REDIS_URL: 'redis://r',
      HOST: '0.0.0.0',
      PORT: '0',
      CELL: 'eu1',
      LOG_LEVEL: 'trace',
      TRUST_PROXY: '10.0.0.0/8, ::1,loopback',
      METRICS_PORT: '9464',
      DRAIN_SECONDS: '2.5',
    };
    expect(readConfig(environment)).toMatchObject({
      databaseUrl: 'postgres://db/x',
      databasePoolSize: 500,
      redisUrl: 'redis://r',
      host: '0.0.0.0',
      port: 0,
      cell: 'eu1',
      logLevel: 'trace',
      trustProxy: '10.0.0.0/8, ::1,loopback',
      metricsPort: 9464,
      drainSeconds: 2.5,
    });
  });

  test('takes an empty value for none, as compose files give it', () => {
    const names = ['DATABASE_POOL_SIZE', 'REDIS_URL', 'HOST', 'PORT', 'CELL', 'LOG_LEVEL', 'TRUST_PROXY'];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(readConfig({ ...minimal, ...empty })).toEqual(readConfig(minimal));
  });

  test.each([
    ['DATABASE_URL', undefined],
    ['DATABASE_URL', ''],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_POOL_SIZE', '501'],
    ['DATABASE_POOL_SIZE', 'many'],
    ['DRAIN_SECONDS', '301'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1, proxy.internal'],
    ['OBJECTS_URL', 'http://objects'],
    ['OBJECTS_URL', 'file://host/folder'],
    ['OBJECTS_URL', 's3://'],
    ['CELL', 'EU'],
    ['CELL', 'a-b'],
    ['CELL', 'x'.repeat(17)],
  ])('refuses %s=%s by its name', (name, value) => {
    const read = () => readConfig({ ...minimal, [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} `));
  });

  test('does not reveal the URLs of the database and Redis', () => {
    const read = () =>
      readConfig({
        DATABASE_URL: 'postgres://u:secret@h/x',
        REDIS_URL: 'redis://:secret@h',
        OBJECTS_URL: 'http://u:secret@h',
        AWS_SECRET_ACCESS_KEY: 'secret',
        PORT: 'secret',
      });
    expect(read).toThrow(ConfigError);
    expect(read).not.toThrow(/secret/);
  });

  test('requires the public URL of a process that listens on all interfaces', () => {
    const given = { ...minimal, OBJECTS_URL: 'file:///tmp', TRUST_PROXY: 'none' };
    for (const HOST of ['0.0.0.0', '::'])
      for (const role of ['api', 'all-in-one', 'serving', 'worker'] as const) {
        const isApi = role === 'api' || role === 'all-in-one';
        expect(problemsOf(() => readConfig({ ...given, HOST }, { role }))).toEqual(isApi ? ['BASE_URL'] : []);
        expect(
          problemsOf(() => readConfig({ ...given, HOST, BASE_URL: 'https://x.test' }, { role })),
        ).toEqual([]);
      }
    expect(problemsOf(() => readConfig({ ...given, HOST: '10.0.0.5' }, { role: 'api' }))).toEqual([]);
  });

  test('reports all problems at once, each by its name', () => {
    const read = () =>
      readConfig(
        { HOST: '0.0.0.0', PORT: 'http', CELL: 'EU', LOG_LEVEL: 'loud', JOB_MAX_HOURS: '-1' },
        { role: 'api' },
      );
    expect(problemsOf(read)).toEqual([
      'BASE_URL',
      'CELL',
      'DATABASE_URL',
      'JOB_MAX_HOURS',
      'LOG_LEVEL',
      'OBJECTS_URL',
      'PORT',
      'TRUST_PROXY',
    ]);
  });

  test('says what a setting must be', () => {
    expect(() => readConfig({ ...minimal, PORT: '-1' })).toThrow('from 0 to 65535');
    expect(() => readConfig({ ...minimal, LOG_LEVEL: 'loud' })).toThrow('fatal, error, warn');
    expect(() => readConfig({})).toThrow('DATABASE_URL=postgres://');
  });

  test('reads exactly the described settings', () => {
    const read = new Set<string>();
    const environment = new Proxy<Record<string, string>>(
      { ...minimal, OBJECTS_URL: 's3://bucket' },
      {
        get: (target, name) => {
          read.add(String(name));
          return target[String(name)];
        },
      },
    );
    readConfig(environment);
    expect([...read].toSorted()).toEqual([...settingNames].toSorted());
  });
});

describe('a role', () => {
  test('needs a store; migrate and admin do not', () => {
    for (const role of ['api', 'serving', 'worker', 'all-in-one'] as const)
      expect(problemsOf(() => readConfig(minimal, { role }))).toEqual(['OBJECTS_URL']);
    expect(readConfig(minimal).objects).toBeUndefined();
  });
});

describe('memory for serving', () => {
  const gibibyte = 2 ** 30;
  const of = (memoryBytes: number, SERVING_MEMORY_MB = '') =>
    readConfig({ ...minimal, SERVING_MEMORY_MB }, { machine: { memoryBytes, threads: 2 } }).serving
      .memoryBytes;

  test('is half of what the process may use, or what is set', () => {
    expect(of(2 * gibibyte)).toBe(gibibyte);
    expect(of(2 * gibibyte, '1500')).toBe(1500 * 2 ** 20);
  });

  test("follows the container's limit, where there is one", () => {
    expect(memoryLimit(2 * gibibyte, 64 * gibibyte)).toBe(2 * gibibyte);
    // No limit: 0, or a number beyond all memory, depending on the version of cgroups.
    expect(memoryLimit(0, 64 * gibibyte)).toBe(64 * gibibyte);
    expect(memoryLimit(2 ** 63, 64 * gibibyte)).toBe(64 * gibibyte);
  });
});

describe('trusted proxies', () => {
  const of = (settings: Record<string, string>, role: Role = 'api') =>
    readConfig(
      { ...minimal, OBJECTS_URL: 'file:///objects', BASE_URL: 'https://x.test', ...settings },
      { role },
    ).trustProxy;

  test('are none at a loopback address unless they are named', () => {
    for (const HOST of ['', '127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      expect(of({ HOST })).toBeUndefined();
    expect(of({ TRUST_PROXY: '10.0.0.1' })).toBe('10.0.0.1');
  });

  test('must be decided where others can connect', () => {
    for (const HOST of ['0.0.0.0', '::', '10.0.0.5', 'api.internal']) {
      expect(problemsOf(() => of({ HOST }))).toEqual(['TRUST_PROXY']);
      expect(problemsOf(() => of({ HOST, TRUST_PROXY: '' }))).toEqual(['TRUST_PROXY']);
      expect(of({ HOST, TRUST_PROXY: 'none' })).toBeUndefined();
      expect(of({ HOST, TRUST_PROXY: 'uniquelocal' })).toBe('uniquelocal');
      // It takes no calls.
      expect(of({ HOST }, 'worker')).toBeUndefined();
    }
  });
});
