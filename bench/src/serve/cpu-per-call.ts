import { cpuSeconds } from '../cpu.ts';

/** CPU milliseconds per call. */
export interface CpuPerCall {
  readonly service: number;
  readonly database: number;
}

/** Returns what the processes have used per call since then. */
export function startCpu(pids: { readonly service: number; readonly database: number }) {
  const read = () => ({ service: cpuSeconds(pids.service) ?? 0, database: cpuSeconds(pids.database) ?? 0 });
  const before = read();
  return (calls: number): CpuPerCall => {
    const { service, database } = read();
    const perCall = (seconds: number) => (1000 * seconds) / Math.max(1, calls);
    return { service: perCall(service - before.service), database: perCall(database - before.database) };
  };
}

/** Of several rounds, the cheapest: other work on the machine adds to it. */
export const cheaper = (known: CpuPerCall | undefined, found: CpuPerCall): CpuPerCall => ({
  service: Math.min(known?.service ?? Number.POSITIVE_INFINITY, found.service),
  database: Math.min(known?.database ?? Number.POSITIVE_INFINITY, found.database),
});
