import { describe, expect, it } from 'vitest';
import { parseSettings, readProductSettings, renderSettings } from '../src/postgres/settings.ts';

describe('PostgreSQL settings', () => {
  it('are parsed with comments, quotes and bare values', () => {
    const text = "# a comment\n\nwork_mem = '4MB' # why\njit=off\nname 'it''s'\nrandom_page_cost = 1.1\n";
    expect(parseSettings(text)).toEqual({
      work_mem: '4MB',
      jit: 'off',
      name: "it's",
      random_page_cost: '1.1',
    });
  });

  it('round-trip', () => {
    const settings = { work_mem: '4MB', search_path: `"it's", b` };
    expect(parseSettings(renderSettings(settings))).toEqual(settings);
  });

  it('reject a name that contains another setting', () => {
    expect(() => renderSettings({ "a = 'b'\nfsync": 'off' })).toThrow();
  });

  it('for production keep durability on', async () => {
    const settings = await readProductSettings();
    expect(settings['max_wal_size']).toBeDefined();
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
      expect(settings[name] ?? 'on').toBe('on');
    }
  });
});
