import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@tastegraph/dev';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Load } from '../http/load.ts';
import { type Balancer, startBalancer } from '../stack/balancer.ts';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { makeDeployed } from '../stack/deployment-cell.ts';
import { perFile } from '../stack/stack.ts';
import type { TestProject } from '../stack/training.ts';
import { callSteadily } from './call-steadily.ts';
import { findInstancePort, type SystemdMachine, startSystemdMachine } from './systemd-machine.ts';

const drainSeconds = 1;
const callsPerSecond = 40;
/** What systemd gives them before it kills them. */
const stopLimitMs = 90_000;

/** Namespaces are root's to make. The gate runs as root; a developer without it leaves these out. */
describe.skipIf(process.getuid?.() !== 0 && !process.env['CI'])('the systemd units', () => {
  const cell = perFile(async () => new AsyncDisposableStack());
  let machine: SystemdMachine;
  let apis: string[];
  let servings: string[];
  let frontOfApis: Balancer;
  let frontOfServings: Balancer;
  let caller: Caller;
  let project: TestProject;

  const all = () => [...apis, ...servings, 'tastegraph-worker.service'];

  beforeAll(async () => {
    // Without a schema: to bring it is the units' work.
    const database = await cloneDatabase('template0');
    cell.defer(database.drop);
    const ports: number[] = [];
    while (ports.length < 4) ports.push(await findInstancePort(ports));
    const [api = 0, otherApi = 0, serving = 0, otherServing = 0] = ports;
    const drain = { DRAIN_SECONDS: String(drainSeconds) };
    machine = cell.use(
      await startSystemdMachine({
        ports: { api: [api, otherApi], serving: [serving, otherServing] },
        settings: {
          'tastegraph.env': {
            DATABASE_URL: database.url,
            REDIS_URL: inject('redisUrl'),
            TRAINING_THREADS: '1',
            // What is shown here is that no call fails, not how fast a busy machine is.
            SERVING_DEADLINE_MS: '20000',
          },
          'api.env': drain,
          'serving.env': drain,
          'worker.env': { METRICS_PORT: String(await findFreePort()) },
        },
      }),
    );
    apis = [api, otherApi].map((port) => `tastegraph-api@${port}.service`);
    servings = [serving, otherServing].map((port) => `tastegraph-serving@${port}.service`);
    const at = (port: number) => `http://127.0.0.1:${port}`;
    await machine.systemctl('start', 'tastegraph.target').catch(async (error: unknown) => {
      throw new Error(await machine.logs(), { cause: error });
    });
    frontOfApis = cell.use(await startBalancer([api, otherApi].map(at)));
    frontOfServings = cell.use(await startBalancer([serving, otherServing].map(at)));
    caller = new Caller(frontOfApis.baseUrl, await makeCredentials(database.url));
  }, 500_000);

  test('"systemctl start" of the target migrates, and returns when all roles are ready', async () => {
    const migrated = await machine.show('tastegraph-migrate.service', 'Result', 'SubState');
    expect(migrated).toMatchObject({ Result: 'success', SubState: 'exited' });
    for (const unit of all()) {
      const shown = await machine.show(unit, 'ActiveState', 'NRestarts');
      expect(shown).toMatchObject({ ActiveState: 'active', NRestarts: '0' });
    }
    // No waiting here: ready is what "started" means.
    for (const { baseUrl } of [frontOfApis, frontOfServings])
      expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
  });

  test('no role is root, can become it, or can write outside of its folder', async () => {
    for (const unit of all()) {
      const status = await machine.processOf(unit);
      expect(status['Uid']?.split('\t')).not.toContain('0');
      expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2', CapBnd: '0000000000000000' });
    }
  });

  test('together they are the service: train, deploy, recommend', async () => {
    project = await makeDeployed(caller);
  });

  test('each is restarted in turn, under load, and no call fails', async () => {
    const load = new Load();
    const stop = new AbortController();
    const calling = writeAndRecommend(load, stop.signal);
    for (const unit of all()) {
      await sleep(500);
      await machine.systemctl('stop', unit);
      expect(await machine.show(unit, 'Result', 'ExecMainStatus', 'ExecMainCode')).toMatchObject({
        Result: 'success',
        // It exited by itself, with 0.
        ExecMainCode: '1',
        ExecMainStatus: '0',
      });
      await machine.systemctl('start', unit);
    }
    stop.abort();
    await calling;
    expect(load.errors).toEqual([]);
    expect(load.calls['recommend']).toBeGreaterThan(callsPerSecond);
    expect(load.calls['upsert']).toBeGreaterThan(callsPerSecond);
    console.log('restarts in turn', load.summary());
  }, 120_000);

  test('migrating again leaves what runs alone', async () => {
    const before = await Promise.all(all().map((unit) => machine.show(unit, 'MainPID')));
    await machine.systemctl('restart', 'tastegraph-migrate.service');
    expect(await Promise.all(all().map((unit) => machine.show(unit, 'MainPID')))).toEqual(before);
  });

  test('a role that is killed is started again', async () => {
    const [api = ''] = apis;
    await machine.systemctl('kill', '--signal=SIGKILL', api);
    await expect
      .poll(() => machine.show(api, 'ActiveState', 'NRestarts'), { interval: 200 })
      .toMatchObject({ ActiveState: 'active', NRestarts: '1' });
  });

  test('stopping the target stops all of them, each in order', async () => {
    await machine.systemctl('stop', 'tastegraph.target');
    for (const unit of all())
      await expect
        .poll(() => machine.show(unit, 'ActiveState', 'Result'), { timeout: stopLimitMs, interval: 100 })
        .toMatchObject({ ActiveState: 'inactive', Result: 'success' });
    expect(await machine.logs()).not.toContain('"closer":');
  }, 60_000);

  /** Writes to the apis and recommendations from the serving processes, at a steady rate. */
  function writeAndRecommend(load: Load, stopping: AbortSignal): Promise<void> {
    const { project_id, user_dataset_id } = project;
    const front = new Caller(frontOfServings.baseUrl, caller.credentials);
    return callSteadily(callsPerSecond, stopping, (n) => {
      const user_id = `u${n % 60}`;
      const upsert = () => caller.ask('upsertDatasetUsers', { user_dataset_id, users: [{ user_id }] });
      const recommend = () => front.ask('recommendItemsToUser', { project_id, user_id, limit: 10 });
      return n % 2 === 0 ? load.time('upsert', upsert) : load.time('recommend', recommend);
    });
  }
});
