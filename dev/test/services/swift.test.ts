import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPortFree, type PrivateSwift, startSwift } from '../../src/index.ts';

const LIMIT_MS = 120_000;

/** For tests of the object store itself, see packages/server/test/integration/kernel/objects-*.test.ts. */
describe('Swift', () => {
  let swift: PrivateSwift;
  beforeAll(async () => {
    swift = await startSwift();
  }, LIMIT_MS);
  afterAll(() => swift.stop());

  const requestWithWrongSignature = async () => {
    const headers = { authorization: `AWS ${swift.accessKeyId}:wrong`, date: new Date().toUTCString() };
    return (await fetch(`${swift.url}/bucket/object`, { headers })).text();
  };

  it('serves the S3 API, and refuses a wrong signature', async () => {
    expect(await requestWithWrongSignature()).toContain('SignatureDoesNotMatch');
  });

  it(
    'restarts on the same port after it was killed',
    async () => {
      const { pid } = swift;
      await swift.kill();
      await expect(requestWithWrongSignature()).rejects.toThrow();
      await swift.restart();
      expect(swift.pid).not.toBe(pid);
      expect(await requestWithWrongSignature()).toContain('SignatureDoesNotMatch');
    },
    LIMIT_MS,
  );

  it(
    'reports its log and what to do next if the start fails',
    async () => {
      await expect(startSwift({ port: swift.port })).rejects.toThrow(/in use[^]*Next: /);
    },
    LIMIT_MS,
  );

  it('leaves nothing behind when it stops', async () => {
    const { logFile, port } = swift;
    await swift.stop();
    expect(existsSync(logFile)).toBe(false);
    expect(await isPortFree(port)).toBe(true);
  });
});
