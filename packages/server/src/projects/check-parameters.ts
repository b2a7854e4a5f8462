import { type AlgorithmType, algorithms } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';

/**
 * Throws an ApiError for parameters of another algorithm. The schema of the request accepts the parameters of all
 * algorithms and has already checked their values.
 */
export function checkParameters(algorithmType: AlgorithmType, parameters: object): void {
  const definition = algorithms.find(({ type }) => type === algorithmType);
  const known = Object.keys(definition?.parameters.properties ?? {});
  const errors = Object.keys(parameters)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: `algorithm_parameters.${name}`,
      message: `is not a parameter of ${algorithmType}; its parameters are ${known.join(', ')}`,
    }));
  if (errors.length === 0) return;
  const detail = errors.map(({ path, message }) => `${path} ${message}`);
  throw new ApiError('INVALID_REQUEST', `${detail.join('; ')}.`, { errors });
}
