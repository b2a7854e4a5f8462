/** How many cases a fuzz test runs: 10,000, or FUZZ_RUNS; .ci/release sets ten times as many. */
export const fuzzRuns = Number(process.env['FUZZ_RUNS'] ?? 10_000);
