import { type IdKind, idPrefixes } from '@tastegraph/contract';
import { typeidUnboxed } from 'typeid-js';

/** A new id of ours: ordered by time, so that it also sorts by creation. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(idPrefixes[kind]);
}
