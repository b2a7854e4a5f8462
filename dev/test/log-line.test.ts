import { describe, expect, it } from 'vitest';
import { formatProblem } from '../src/command/log-line.ts';

describe("the server's log on the terminal", () => {
  it('shows warnings and errors in readable form', () => {
    expect(formatProblem('{"level":40,"msg":"slow disk"}', 'stdout')).toBe('warn: slow disk');
    const line = '{"level":50,"msg":"job failed","err":{"message":"out of memory"}}';
    expect(formatProblem(line, 'stdout')).toBe('error: job failed: out of memory');
  });

  it('shows a crash unchanged', () => {
    expect(formatProblem('TypeError: x is not a function', 'stderr')).toBe('TypeError: x is not a function');
  });

  it('omits all other lines', () => {
    expect(formatProblem('{"level":30,"msg":"request"}', 'stdout')).toBeUndefined();
    expect(formatProblem('some other output', 'stdout')).toBeUndefined();
  });
});
