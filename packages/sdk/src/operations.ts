import type { Request, Response } from '@tastegraph/contract';
import { type OperationName, operationNames, type RemovalName } from '@tastegraph/contract/endpoints';

export interface CallOptions {
  /** Aborts the call, including its retries and pauses. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Sent as X-Request-Id, the same in every retry. It appears in the logs of the service. */
  requestId?: string;
  /** For the whole call, including token, retries and pauses. Default: that of the client. */
  timeoutMs?: number;
  /** The maximum number of retries, if the call is safe to retry. Default: that of the client. */
  maxRetries?: number;
}

/**
 * What an operation resolves with. It is null only for a delete that was retried without a response to the first
 * attempt: the object is gone, but its last state is unknown.
 */
export type Answer<N extends OperationName> = N extends RemovalName ? Response<N> | null : Response<N>;

/** An optional field may be undefined, such as the cursor of a last page; it is not sent then. */
type Fields<R> = { [K in keyof R]: R[K] | (Partial<Pick<R, K>> extends Pick<R, K> ? undefined : never) };

/** If all fields of a request are optional, the request can be omitted. */
export type CallArguments<R> =
  Partial<R> extends R
    ? [request?: Fields<R>, options?: CallOptions]
    : [request: Fields<R>, options?: CallOptions];

/** One method per operation of the API. */
export type Operations = {
  [N in OperationName]: (...args: CallArguments<Request<N>>) => Promise<Answer<N>>;
};

abstract class Methods {
  abstract request(name: OperationName, request: unknown, options?: CallOptions): Promise<unknown>;
}

for (const name of operationNames) {
  Object.defineProperty(Methods.prototype, name, {
    configurable: true,
    writable: true,
    value: function (this: Methods, request: unknown = {}, options?: CallOptions) {
      return this.request(name, request, options);
    },
  });
}

/** Declares the methods that the loop above defines. */
export const OperationMethods = Methods as unknown as new () => Operations;
