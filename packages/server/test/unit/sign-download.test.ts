import { describe, expect, test } from 'vitest';
import { signDownload, verifyDownload } from '../../src/jobs/downloads.ts';

describe('a signed download', () => {
  const secret = Buffer.from('the right secret');
  const now = new Date('2026-01-01T00:00:00.500Z');
  const download = {
    key: 'results/a.csv',
    seconds: 60,
    fileName: 'a.csv',
    contentType: 'text/csv',
    holder: 'h',
  };
  const parts = signDownload(download, secret, now);
  const later = (ms: number) => new Date(now.getTime() + ms);

  test('is verified by the same secret until it expires', () => {
    const verified = {
      key: 'results/a.csv',
      fileName: 'a.csv',
      contentType: 'text/csv',
      contentDisposition: `attachment; filename="a.csv"; filename*=UTF-8''a.csv`,
      holder: 'h',
    };
    expect(verifyDownload(parts, secret, now)).toEqual(verified);
    expect(verifyDownload(parts, secret, later(59_499))).toEqual(verified);
    expect(verifyDownload(parts, secret, later(59_500))).toBeUndefined();
    expect(verifyDownload(parts, Buffer.from('another secret'), now)).toBeUndefined();
  });

  test('is refused if any part is changed, moved to its neighbor, or missing', () => {
    for (const name of ['key', 'expires', 'name', 'type', 'holder', 'signature'] as const) {
      for (const value of ['', `${parts[name]}0`, `0${parts[name]}`, parts[name].slice(1)]) {
        expect(verifyDownload({ ...parts, [name]: value }, secret, now)).toBeUndefined();
      }
    }
    const shifted = { ...parts, name: `${parts.name}t`, type: parts.type.slice(1) };
    expect(verifyDownload(shifted, secret, now)).toBeUndefined();
  });

  test('is refused if the signature is encoded differently', () => {
    const { signature } = parts;
    // The last of 43 characters has two unused bits.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(signature.at(-1) ?? '');
    const others = [1, 2, 3].map((bits) => signature.slice(0, -1) + (alphabet[last ^ bits] ?? ''));
    const same = Buffer.from(signature, 'base64url');
    for (const other of [...others, `${signature}=`, same.toString('base64'), ` ${signature}`]) {
      expect(Buffer.from(other, 'base64url')).toEqual(same);
      if (other !== signature)
        expect(verifyDownload({ ...parts, signature: other }, secret, now)).toBeUndefined();
    }
  });

  test('of an invalid key is refused, even if signed', () => {
    expect(
      verifyDownload(signDownload({ ...download, key: '../etc/passwd' }, secret, now), secret, now),
    ).toBeUndefined();
  });

  test('keeps a file name that is not ASCII', () => {
    const named = signDownload({ ...download, fileName: 'Käse "50 %".csv' }, secret, now);
    expect(verifyDownload(named, secret, now)?.contentDisposition).toBe(
      `attachment; filename="K_se _50 __.csv"; filename*=UTF-8''K%C3%A4se%20%2250%20%25%22.csv`,
    );
  });

  test.each([
    { fileName: '' },
    { fileName: 'a/b' },
    { fileName: 'a\r\nset-cookie: b' },
    { fileName: '\ud800' },
    { contentType: 'text/html\r\nset-cookie: b' },
    { contentType: '' },
  ])('is not created with %j', (bad) => {
    expect(() => signDownload({ ...download, ...bad }, secret, now)).toThrow(
      expect.objectContaining({ kind: 'refused' }) as Error,
    );
  });
});
