import { describe, expect, test } from 'vitest';
import { claimScratch, KernelMemory, placeCopy, placeScratch } from '../src/kernels/kernel-memory.ts';

describe('kernel memory', () => {
  test('keeps arrays disjoint, and gives each thread its own scratch memory, zeroed', () => {
    const memory = new KernelMemory();
    const first = memory.u32(3).fill(7);
    const second = memory.f64(40_000).fill(1);
    const copy = placeCopy(memory, Uint32Array.of(4, 5));
    const scratch = placeScratch(memory);
    const claimed = [claimScratch(scratch, 9), claimScratch(scratch, 9)].map(
      (address) => new Uint8Array(memory.memory.buffer, address, 9),
    );
    expect([...claimed[0]!, ...claimed[1]!]).toEqual(new Array(18).fill(0));
    claimed[0]!.fill(255);
    expect([...claimed[1]!]).toEqual(new Array(9).fill(0));
    expect([...first]).toEqual([7, 7, 7]);
    expect(second.every((value) => value === 1)).toBe(true);
    expect([...new Uint32Array(memory.memory.buffer, copy, 2)]).toEqual([4, 5]);
  });

  test('can be cleared and reused, with scratch memory zeroed again', () => {
    const memory = new KernelMemory();
    for (let time = 0; time < 3; time++) {
      memory.clear();
      memory.f32(20_000).fill(3);
      const address = claimScratch(placeScratch(memory), 100_000);
      const scratch = new Uint8Array(memory.memory.buffer, address, 100_000);
      expect(scratch.every((byte) => byte === 0)).toBe(true);
      scratch.fill(1);
    }
    expect(memory.memory.buffer.byteLength).toBeLessThan(300_000);
  });

  test('refuses more than 32 bits can address', () => {
    expect(() => new KernelMemory().f64(2 ** 29)).toThrow('reaches 4 GiB');
  });
});
