import { describe, expect, test } from 'vitest';
import { hashSecret, isSecret, randomText } from '../../src/keys/secrets.ts';

describe('randomText', () => {
  test('has the requested length and only letters and digits', () => {
    for (const length of [1, 24, 43, 1000]) {
      expect(randomText(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    }
  });

  test('is different each time', () => {
    expect(new Set(Array.from({ length: 1000 }, () => randomText(24))).size).toBe(1000);
  });

  test('has a uniform distribution of letters', () => {
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

  test('matches only its own secret and salt', () => {
    const hash = hashSecret('tgs_secret', salt);
    expect(hash).toHaveLength(32);
    expect(isSecret('tgs_secret', salt, hash)).toBe(true);
    expect(isSecret('tgs_secreT', salt, hash)).toBe(false);
    expect(isSecret('', salt, hash)).toBe(false);
    expect(isSecret('tgs_secret', Buffer.from('another salt here'), hash)).toBe(false);
  });

  test('differs with another salt', () => {
    expect(hashSecret('same', Buffer.from('a')).equals(hashSecret('same', Buffer.from('b')))).toBe(false);
  });
});
