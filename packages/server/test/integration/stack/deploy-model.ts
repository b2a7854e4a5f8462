/** Runs a statement. */
type Run = (text: string, values: unknown[]) => Promise<unknown>;

/** Without a job, and by default without a limit that a test would reach. */
export async function deployModel(run: Run, modelId: string, qps = 100_000): Promise<void> {
  await run(
    `INSERT INTO deployments (project_key, generator_model_key, qps)
      SELECT project_key, model_key, $2 FROM models WHERE model_id = $1
      ON CONFLICT (project_key) DO UPDATE SET generator_model_key = excluded.generator_model_key, qps = excluded.qps`,
    [modelId, qps],
  );
}
