import { type AttributeCode, countTokens } from '../data/attributes.ts';
import { type Incidence, rowOf } from '../data/incidence.ts';

/** Users by their value of one attribute; a user without a value is in none. */
export interface Groups {
  readonly name: string;
  /** The token of the first value. */
  readonly first: number;
  /** The users of each value. */
  readonly members: readonly (readonly number[])[];
}

/** Undefined for an attribute without a code: no user has it, or too few users share a value. */
export function groupBy(
  name: string,
  codes: readonly AttributeCode[],
  attributes: Incidence | undefined,
): Groups | undefined {
  const place = codes.findIndex((code) => code.name === name);
  if (place === -1 || !attributes) return undefined;
  const first = countTokens(codes.slice(0, place));
  const width = countTokens([codes[place]!]);
  const members = Array.from({ length: width }, (): number[] => []);
  for (let user = 0; user < attributes.rows; user++) {
    const own = rowOf(attributes, user).find((token) => token >= first && token < first + width);
    if (own !== undefined) members[own - first]!.push(user);
  }
  return { name, first, members };
}
