import type { OperationName } from '@tastegraph/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallLimits } from './call-limits.ts';
import type { Context, WrittenEvents } from './context.ts';
import type { Called, Identify, Identity } from './identity.ts';

/** What a use case sees of its process, the same for each call. */
export type ProcessContext = Omit<
  Context,
  'accountId' | 'callerId' | 'mayCall' | 'writeScope' | 'requestId' | 'facts'
>;

/** A call of an operation that is about to be handled. */
export interface OperationCall {
  readonly operation: OperationName;
  readonly input: unknown;
  readonly identity: Identity;
}

/** What routes that are no operations get from the server. */
export interface FrontDoor {
  /** Makes the routes of a scope read bodies as operations do. */
  readonly acceptJson: (scope: FastifyInstance) => void;
  readonly identify: (request: FastifyRequest, called: Called) => Promise<Identity>;
  readonly limits: CallLimits;
  readonly work: ProcessContext;
}

/** What a module adds to the HTTP server of each process that answers calls. */
export interface HttpPart {
  readonly identify?: Identify;
  /** Routes that are no operations: tokens, downloads, signing in, Segment. */
  readonly surface?: (app: FastifyInstance, door: FrontDoor) => void;
  /** Runs the handler of an operation, with something before or after it. */
  readonly around?: <T>(
    ctx: Context,
    call: OperationCall,
    run: () => Promise<T>,
    onLost: (error: unknown) => void,
  ) => Promise<T>;
  /** Called after each response. */
  readonly answered?: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly usage?: WrittenEvents;
}
