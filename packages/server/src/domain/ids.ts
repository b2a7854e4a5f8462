import { type IdKind, idPrefixes } from '@tastegraph/contract';
import { typeidUnboxed } from 'typeid-js';

const uuidForm = /^[0-9a-z]{26}$/;

/** Whether a text could be an id of ours. What could not is not there; PostgreSQL would refuse to look for a NUL. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${idPrefixes[kind]}_`;
  return text.startsWith(prefix) && uuidForm.test(text.slice(prefix.length));
}

/** A new id of ours: ordered by time, so that it also sorts by creation. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(idPrefixes[kind]);
}
