import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

const least = { DATABASE_URL: 'postgres://localhost/x' };

describe('readConfig', () => {
  test('needs a database, and has a default for all the rest', () => {
    expect(readConfig(least)).toMatchObject({
      databaseUrl: least.DATABASE_URL,
      databasePoolSize: 16,
      host: '127.0.0.1',
      port: 8080,
      cell: 'main',
      logLevel: 'info',
      drainSeconds: 0,
    });
    expect(readConfig(least).redisUrl).toBeUndefined();
    expect(readConfig(least).trustProxy).toBeUndefined();
    expect(readConfig(least).metricsPort).toBeUndefined();
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
    expect(readConfig({ ...least, ...empty })).toEqual(readConfig(least));
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
    ['CELL', 'EU'],
    ['CELL', 'a-b'],
    ['CELL', 'x'.repeat(17)],
  ])('refuses %s=%s by its name', (name, value) => {
    const read = () => readConfig({ ...least, [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} `));
  });

  test('does not say what a database or Redis is reached by', () => {
    const read = () =>
      readConfig({ DATABASE_URL: 'postgres://u:secret@h/x', REDIS_URL: 'redis://:secret@h', PORT: 'x' });
    expect(read).toThrow(ConfigError);
    expect(read).not.toThrow(/secret/);
  });

  test('reads the settings that docs/operations/running.md names, and no others', () => {
    const read = new Set<string>();
    const noting = (given: Record<string, string>) =>
      new Proxy(given, {
        get: (target, name) => {
          read.add(String(name));
          return target[String(name)];
        },
      });
    readConfig(noting({ ...least, OBJECTS_URL: 's3://bucket' }));
    const page = readFileSync(new URL('../../../../docs/operations/running.md', import.meta.url), 'utf8');
    const [, table = ''] = page.split('| setting | default | |\n');
    const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(1);
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    );
    // Amazon's own names are said where the store is.
    const ours = [...read].filter((name) => !name.startsWith('AWS_'));
    expect(named.toSorted()).toEqual(ours.toSorted());
  });
});
