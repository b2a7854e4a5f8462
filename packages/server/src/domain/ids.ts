import { type IdKind, idPrefixes } from '@tastegraph/contract';
import { typeidUnboxed } from 'typeid-js';

/** IDs sort by creation time. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(idPrefixes[kind]);
}
