import type { Request, Response } from '@tastegraph/contract';
import { type OperationName, operationNames } from '@tastegraph/contract/endpoints';

export interface CallOptions {
  /** Aborts the call, its retries and its pauses; the call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Sent as X-Request-Id, the same in every retry, and found in the service's logs. */
  requestId?: string;
  /** For the whole call: its token, its retries and its pauses. Default: the client's. */
  timeoutMs?: number;
  /** How often the call is repeated, at most, where that is safe. Default: the client's. */
  maxRetries?: number;
}

/** Operations that remove a whole thing and answer with what it was. */
export type RemovalName = Exclude<
  Extract<OperationName, `delete${string}`>,
  Extract<OperationName, `deleteDataset${string}`>
>;

/**
 * Null only ever comes from a removal whose answer was lost: it was repeated, and the thing was gone. What it
 * last looked like cannot be told then.
 */
export type Answer<N extends OperationName> = N extends RemovalName ? Response<N> | null : Response<N>;

/** A request whose every field is optional may be left out. */
export type CallArguments<R> =
  Partial<R> extends R ? [request?: R, options?: CallOptions] : [request: R, options?: CallOptions];

/** One method for each operation of the contract, under the operation's name. */
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

/** The compiler is told here what the loop above has made. */
export const OperationMethods = Methods as unknown as new () => Operations;
