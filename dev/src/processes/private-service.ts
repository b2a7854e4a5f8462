import { rm, writeFile } from 'node:fs/promises';
import { startGuard } from './guard.ts';
import { lastLines, serviceError } from './log.ts';
import { findFreePort } from './port.ts';
import { type Service, type ServiceCommand, type StopStep, startService } from './service.ts';
import { waitUntil } from './wait.ts';

/** A private instance of a real service on 127.0.0.1. */
export interface PrivateService extends AsyncDisposable {
  readonly port: number;
  /** Changes with restart(). */
  readonly pid: number;
  readonly logFile: string;
  /** Shuts down cleanly and removes temporary files. A stopped service cannot be restarted. */
  stop(): Promise<void>;
  /** Sends SIGKILL, and returns when the process is gone. */
  kill(): Promise<void>;
  /** Starts the service again on the same port. Stops it first if it is running. */
  restart(): Promise<void>;
}

interface ServiceSpec {
  readonly name: string;
  /** Default: a free port. */
  readonly port: number | undefined;
  readonly logFile: string;
  /** A directory that is removed however the service ends. */
  readonly temporary: string | undefined;
  readonly startLimitMs: number;
  readonly stopSteps: readonly StopStep[];
  /** Called once, before the first start. */
  readonly prepare?: () => Promise<void>;
  /** Called before every start; returns what to run. */
  readonly command: (port: number) => Promise<Omit<ServiceCommand, 'logFile' | 'guard'>>;
  /** Must not mistake another process on the port, or an earlier start, for this one. */
  readonly isReady: (pid: number, port: number) => Promise<boolean>;
  /** Kills processes that SIGKILL to the main process would leave behind. */
  readonly killRest?: () => Promise<void>;
  /** Called after the service has exited, before the temporary directory is removed. */
  readonly afterStop?: () => Promise<void>;
  /** For the error message of a failed start: where to look. */
  readonly hint?: string;
}

const PORT_ATTEMPTS = 5;

export async function startPrivateService(spec: ServiceSpec): Promise<PrivateService> {
  const { name, logFile, temporary, stopSteps } = spec;
  const guard = startGuard(
    stopSteps.map(({ signal }) => signal.slice('SIG'.length)),
    temporary,
  );
  let port = 0;
  let service: Service | undefined;
  let stopped = false;

  const launch = async () => {
    service = await startService({ ...(await spec.command(port)), logFile, guard });
    await waitUntilReady(spec, service, port);
  };
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await service?.stop(stopSteps);
    await spec.afterStop?.();
    if (temporary) await rm(temporary, { recursive: true, force: true });
    guard.dismiss();
  };

  try {
    await spec.prepare?.();
    await writeFile(logFile, '', { mode: 0o600 });
    for (let attempt = 1; service === undefined || service.hasExited(); attempt += 1) {
      port = spec.port ?? (await findFreePort());
      const retry = spec.port === undefined && attempt < PORT_ATTEMPTS;
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
      await spec.killRest?.();
      await service?.stop([]);
    },
    restart: async () => {
      if (stopped) throw new Error(`This ${name} was stopped. Start a new one.`);
      await service?.stop(stopSteps);
      await launch();
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function waitUntilReady(spec: ServiceSpec, service: Service, port: number): Promise<void> {
  const { name, startLimitMs, logFile, hint } = spec;
  const settled = await waitUntil(
    async () => service.hasExited() || (await spec.isReady(service.pid, port)),
    { limitMs: startLimitMs },
  );
  if (settled && !service.hasExited()) return;
  throw serviceError(
    `${name} ${settled ? 'exited during startup' : `was not ready within ${startLimitMs / 1000} s`}.`,
    await lastLines(logFile),
    ['fix the cause and start again.', hint].filter(Boolean).join(' '),
  );
}

async function isPortTaken(logFile: string): Promise<boolean> {
  return (await lastLines(logFile)).some((line) => line.includes('Address already in use'));
}
