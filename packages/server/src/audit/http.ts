import { endpoints, errorCodes, type OperationName } from '@tastegraph/contract';
import { toApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { HttpPart, OperationCall } from '../http/part.ts';
import { insertAuditEvent } from './rows.ts';

export const http = (): HttpPart => ({ around: recordChange });

/** Writes of records: a row per call would grow without bound. */
const writesRecords = /^(upsert|delete)Dataset[A-Z]/;

/** Upserts by API keys are the stream of events, thousands per second: they are in the log of requests only. */
function isAudited({ operation, identity }: OperationCall): boolean {
  const [method, , leastRole] = endpoints[operation];
  if (method === 'GET' || leastRole === 'VIEWER') return false;
  return identity.person !== undefined || !operation.startsWith('upsert');
}

/** A call that failed by our fault may have taken effect, so it is recorded with its code. No call fails if its record is lost. */
async function recordChange<T>(
  ctx: Context,
  call: OperationCall,
  run: () => Promise<T>,
  onLost: (error: unknown) => void,
): Promise<T> {
  if (!isAudited(call)) return run();
  const write = (result: string, response: unknown) =>
    insertAuditEvent(ctx.db, {
      accountId: ctx.accountId,
      actor_id: ctx.callerId,
      actor_email: call.identity.person?.email ?? null,
      operation: endpoints[call.operation][1],
      object_id: objectOf(call, response),
      result,
      request_id: ctx.requestId,
      isCounted: writesRecords.test(call.operation),
    }).catch(onLost);
  let response: T;
  try {
    response = await run();
  } catch (error) {
    const { code } = toApiError(error);
    if (errorCodes[code].status >= 500) await write(code, undefined);
    throw error;
  }
  await write('SUCCEEDED', response);
  return response;
}

/** The most specific first. Only IDs that the service issued: those of users and items are the contents of records. */
const idFields = [
  'person_id',
  'api_key',
  'job_id',
  'model_id',
  'algorithm_id',
  'erasure_id',
  'webhook_id',
  'experiment_id',
  'schedule_id',
  'user_dataset_id',
  'item_dataset_id',
  'event_dataset_id',
  'project_id',
];
/** IDs in requests are any text until they are found. */
const maxLength = 300;

/** A project's response also names its datasets. */
const candidatesOf = (operation: OperationName) =>
  /(?:Project|Deployment)$/.test(operation) ? ['project_id'] : idFields;

function objectOf({ operation, input }: OperationCall, response: unknown): string | null {
  const fields = { ...(input as object), ...(response as object | undefined) } as Record<string, unknown>;
  const values = operation.endsWith('Scenario')
    ? [fields['project_id'], fields['name']]
    : [
        candidatesOf(operation)
          .map((field) => fields[field])
          .find((value) => typeof value === 'string'),
      ];
  const texts = values.filter((value): value is string => typeof value === 'string');
  return texts.length === 0 ? null : texts.join(' ').slice(0, maxLength);
}
