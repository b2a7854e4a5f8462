import Type, { type Static } from 'typebox';
import { Named } from '../fields.ts';
import type { AlgorithmDefinition } from './definition.ts';
import { g1 } from './g1.ts';
import { popular } from './popular.ts';

/** All algorithms of the API. Each has its implementation in the registry of packages/algorithms. */
export const algorithms = [g1, popular] as const satisfies readonly AlgorithmDefinition[];

type Definition = (typeof algorithms)[number];
export type AlgorithmType = Definition['type'];
/** The parameters of one algorithm. */
export type ParametersOf<T extends AlgorithmType> = Static<Extract<Definition, { type: T }>['parameters']>;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Flat<T> = { [Name in keyof T]: T[Name] };
type AnyParameters = Flat<Intersection<ParametersOf<AlgorithmType>>>;

export const AlgorithmType = Named(
  'AlgorithmType',
  Type.Unsafe<AlgorithmType>({
    enum: algorithms.map(({ type }) => type),
    description: `The algorithm that trains the model. ${algorithms.map(({ type, description }) => `\`${type}\`: ${description}`).join(' ')}`,
  }),
);

/** The parameters of all algorithms in one object, so that generated clients can read and write any of them. */
export const AlgorithmParameters = Named(
  'AlgorithmParameters',
  Type.Unsafe<AnyParameters>({
    type: 'object',
    properties: mergeParameters(algorithms),
    additionalProperties: false,
    description:
      'The parameters of the algorithm; each algorithm accepts only its own. Training chooses every parameter that is not set; with an empty object (`{}`), or without it, it chooses all of them.',
  }),
);

/** A parameter that two algorithms have must have one schema: clients see one field. */
function mergeParameters(definitions: readonly AlgorithmDefinition[]): Record<string, object> {
  const merged: Record<string, { description: string; schema: string }> = {};
  for (const { type, parameters } of definitions)
    for (const [name, field] of Object.entries(parameters.properties)) {
      const schema = JSON.stringify(field);
      const known = merged[name];
      if (known && known.schema !== schema)
        throw new Error(`${type} defines the parameter ${name} differently from another algorithm`);
      const { description } = JSON.parse(schema) as { description: string };
      merged[name] = {
        schema,
        description: known ? `${type}, ${known.description}` : `${type}: ${description}`,
      };
    }
  return Object.fromEntries(
    Object.entries(merged).map(([name, { schema, description }]) => [
      name,
      { ...(JSON.parse(schema) as object), description },
    ]),
  );
}
