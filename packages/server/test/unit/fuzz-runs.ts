/** How many cases a fuzz test runs: 100,000 in the gate, a tenth on a developer's machine, or FUZZ_RUNS. */
export const fuzzRuns = Number(process.env['FUZZ_RUNS'] ?? (process.env['CI'] ? 100_000 : 10_000));
