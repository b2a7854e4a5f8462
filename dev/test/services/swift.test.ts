import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPortFree, type PrivateSwift, startSwift } from '../../src/index.ts';

const LIMIT_MS = 120_000;

/** What it can do as an object store is shown in packages/server/test/integration/objects-*.test.ts. */
describe('Swift', () => {
  let swift: PrivateSwift;
  beforeAll(async () => {
    swift = await startSwift();
  }, LIMIT_MS);
  afterAll(() => swift.stop());

  const askWithWrongSignature = async () => {
    const headers = { authorization: `AWS ${swift.accessKeyId}:wrong`, date: new Date().toUTCString() };
    return (await fetch(`${swift.url}/bucket/object`, { headers })).text();
  };

  it('answers as S3, and refuses a wrong signature', async () => {
    expect(await askWithWrongSignature()).toContain('SignatureDoesNotMatch');
  });

  it(
    'starts again on its port after it was killed',
    async () => {
      const { pid } = swift;
      await swift.kill();
      await expect(askWithWrongSignature()).rejects.toThrow();
      await swift.restart();
      expect(swift.pid).not.toBe(pid);
      expect(await askWithWrongSignature()).toContain('SignatureDoesNotMatch');
    },
    LIMIT_MS,
  );

  it(
    'says what it said and what to do when a start fails',
    async () => {
      await expect(startSwift({ port: swift.port })).rejects.toThrow(
        /ended while it started[^]*in use[^]*Next: /,
      );
    },
    LIMIT_MS,
  );

  it('leaves nothing when it stops', async () => {
    const { logFile, port } = swift;
    await swift.stop();
    expect(existsSync(logFile)).toBe(false);
    expect(await isPortFree(port)).toBe(true);
  });
});
