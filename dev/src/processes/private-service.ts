import { rm, writeFile } from 'node:fs/promises';
import { startGuard } from './guard.ts';
import { failure, lastLines } from './log.ts';
import { findFreePort } from './port.ts';
import { type EndStep, type Service, type ServiceCommand, startService } from './service.ts';
import { waitUntil } from './wait.ts';

/** A real service for ourselves alone, on a port of 127.0.0.1. */
export interface PrivateService extends AsyncDisposable {
  readonly port: number;
  /** Another one after restart(). */
  readonly pid: number;
  readonly logFile: string;
  /** In an orderly way; what is temporary is removed. Once stopped it stays stopped. */
  stop(): Promise<void>;
  /** SIGKILL; returns when it is gone. */
  kill(): Promise<void>;
  /** Starts again on the same port, after kill() or whatever else ended it; stops it first if it runs. */
  restart(): Promise<void>;
}

interface Plan {
  readonly name: string;
  /** A free one when absent. */
  readonly port: number | undefined;
  readonly logFile: string;
  /** Removed at the end, however that comes. */
  readonly temporary: string | undefined;
  readonly startLimitMs: number;
  readonly stopSteps: readonly EndStep[];
  /** Once, before the first start. */
  readonly prepare?: () => Promise<void>;
  /** Before every start: what to run. */
  readonly command: (port: number) => Promise<Omit<ServiceCommand, 'logFile' | 'guard'>>;
  /** Must not take a stranger on the port, or an earlier start, for this one. */
  readonly isReady: (pid: number, port: number) => Promise<boolean>;
  /** What SIGKILL to the process alone would leave. */
  readonly killRest?: () => Promise<void>;
  /** After the end, before the temporary directory goes. */
  readonly afterStop?: () => Promise<void>;
  /** For the person whose start failed: where to look. */
  readonly hint?: string;
}

const PORT_ATTEMPTS = 5;

export async function startPrivateService(plan: Plan): Promise<PrivateService> {
  const { name, logFile, temporary, stopSteps } = plan;
  const guard = startGuard(
    stopSteps.map(({ signal }) => signal.slice('SIG'.length)),
    temporary,
  );
  let port = 0;
  let service: Service | undefined;
  let stopped = false;

  const launch = async () => {
    service = await startService({ ...(await plan.command(port)), logFile, guard });
    await waitUntilReady(plan, service, port);
  };
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await service?.end(stopSteps);
    await plan.afterStop?.();
    if (temporary) await rm(temporary, { recursive: true, force: true });
    guard.dismiss();
  };

  try {
    await plan.prepare?.();
    await writeFile(logFile, '', { mode: 0o600 });
    for (let attempt = 1; service === undefined || service.hasExited(); attempt += 1) {
      port = plan.port ?? (await findFreePort());
      const retry = plan.port === undefined && attempt < PORT_ATTEMPTS;
      await launch().catch(async (error: unknown) => {
        if (!retry || !(await isPortTaken(logFile))) throw error;
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    port,
    get pid() {
      return service?.pid ?? 0;
    },
    logFile,
    stop,
    kill: async () => {
      await plan.killRest?.();
      await service?.end([]);
    },
    restart: async () => {
      if (stopped) throw new Error(`This ${name} was stopped. Start a new one.`);
      await service?.end(stopSteps);
      await launch();
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function waitUntilReady(plan: Plan, service: Service, port: number): Promise<void> {
  const { name, startLimitMs, logFile, hint } = plan;
  const settled = await waitUntil(
    async () => service.hasExited() || (await plan.isReady(service.pid, port)),
    { limitMs: startLimitMs },
  );
  if (settled && !service.hasExited()) return;
  throw failure(
    `${name} ${settled ? 'ended while it started' : `was not ready within ${startLimitMs / 1000} s`}.`,
    await lastLines(logFile),
    ['mend what it says and start again.', hint].filter(Boolean).join(' '),
  );
}

async function isPortTaken(logFile: string): Promise<boolean> {
  return (await lastLines(logFile)).some((line) => line.includes('Address already in use'));
}
