import type { OperationName, Request, Response } from '@tastegraph/contract';
import type { JsonText } from '../kernel/lib/json.ts';
import type { Context } from './context.ts';

/** Returns text instead of objects if the response contains records: megabytes of them, of any shape. */
export type Handler<N extends OperationName> = (
  call: Context,
  request: Request<N>,
) => Promise<Response<N> | JsonText>;

/** Only operations that have a handler are registered. */
export type Handlers = { readonly [N in OperationName]?: Handler<N> };
