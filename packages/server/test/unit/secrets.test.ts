import { describe, expect, test } from 'vitest';
import { hashSecret, isSecret, randomText } from '../../src/domain/account/secrets.ts';

describe('randomText', () => {
  test('is as long as asked, of letters and digits only', () => {
    for (const length of [1, 24, 43, 1000]) {
      expect(randomText(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    }
  });

  test('is never the same twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => randomText(24))).size).toBe(1000);
  });

  test('favours no letter', () => {
    const counts = new Map<string, number>();
    const letters = 620_000;
    for (const letter of randomText(letters)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 10,000 each are expected, and a thousand off is ten standard deviations; a plain modulo is 2,000 off.
    for (const count of counts.values()) expect(Math.abs(count - letters / 62)).toBeLessThan(1000);
  });
});

describe('a hashed secret', () => {
  const salt = Buffer.from('0123456789abcdef');

  test('is recognised by the secret and salt it was made of, and by no others', () => {
    const hash = hashSecret('tgs_secret', salt);
    expect(hash).toHaveLength(32);
    expect(isSecret('tgs_secret', salt, hash)).toBe(true);
    expect(isSecret('tgs_secreT', salt, hash)).toBe(false);
    expect(isSecret('', salt, hash)).toBe(false);
    expect(isSecret('tgs_secret', Buffer.from('another salt here'), hash)).toBe(false);
  });

  test('is another one with another salt', () => {
    expect(hashSecret('same', Buffer.from('a')).equals(hashSecret('same', Buffer.from('b')))).toBe(false);
  });
});
