/** The tables that a statement inserts into, updates or deletes from. FOR UPDATE and DO UPDATE name none. */
export function writtenTables(text: string): Set<string> {
  const writes = text.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?:ONLY\s+)?([a-z_][a-z0-9_]*)/g);
  return new Set(Array.from(writes, ([, table = '']) => table));
}
