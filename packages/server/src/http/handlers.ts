import type { OperationName, Request, Response } from '@tastegraph/contract';
import type { Context } from '../domain/context.ts';

export type Handler<N extends OperationName> = (call: Context, request: Request<N>) => Promise<Response<N>>;

/** An operation is registered when it has a handler here; one that has none is not there at all. */
export type Handlers = { readonly [N in OperationName]?: Handler<N> };
