import { describe, expect, it } from 'vitest';
import { troubleIn } from '../src/command/log-line.ts';

describe("the server's log on the screen", () => {
  it('shows warnings and errors for people', () => {
    expect(troubleIn('{"level":40,"msg":"slow disk"}', 'stdout')).toBe('warn: slow disk');
    const line = '{"level":50,"msg":"job failed","err":{"message":"out of memory"}}';
    expect(troubleIn(line, 'stdout')).toBe('error: job failed: out of memory');
  });

  it('shows a crash as it is', () => {
    expect(troubleIn('TypeError: x is not a function', 'stderr')).toBe('TypeError: x is not a function');
  });

  it('leaves the rest to the file', () => {
    expect(troubleIn('{"level":30,"msg":"request"}', 'stdout')).toBeUndefined();
    expect(troubleIn('a word in passing', 'stdout')).toBeUndefined();
  });
});
