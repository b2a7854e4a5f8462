import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { Closed, Id } from '../schemas/fields.ts';

/** A job type as data: what is submitted, and what a job of this type shows. */
export interface JobTypeContract<
  Data extends TObject = TObject,
  Result extends TSchema = TSchema,
  Submit extends TSchema = TSchema,
> {
  /** `job_data`: what was submitted. Of the stored fields, the API shows only these. */
  readonly data: Data;
  /** `job_result` of a job that succeeded. */
  readonly result: Result;
  /** The `submit…Job` operation. */
  readonly submit: Omit<Operation, 'concept' | 'request' | 'response' | 'errors'> & {
    readonly request: Submit;
    /** In addition to those of every submit operation. */
    readonly errors?: readonly ErrorCode[];
  };
  readonly example: {
    readonly request: Static<Submit>;
    /** Other forms of the request worth showing. */
    readonly otherRequests?: readonly Static<Submit>[];
    readonly response: Static<typeof JobSubmitted>;
  };
}

/** Checks the example against the schema of the request. */
export const defineJobType = <Data extends TObject, Result extends TSchema, Submit extends TSchema>(
  jobType: JobTypeContract<Data, Result, Submit>,
) => jobType;

export const JobSubmitted = Closed({ job_id: Id('job') });
