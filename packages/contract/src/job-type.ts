import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import { Closed, Id, NamedObject, Natural, Nullable } from './fields.ts';
import type { OperationFields } from './operation.ts';

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
  readonly submit: Omit<OperationFields, 'request' | 'response' | 'errors'> & {
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

/** The result of a job that writes files: signed URLs. The server stores the files as `FilesResult`. */
export const FilesResult = NamedObject('AnalysisJobResult', {
  download_url: Type.String({
    description:
      'The URL to download the result from; for an export or a recommending job, its first file; for an import, the rejected records. It needs no token. Each call to `/get-job` or `/list-jobs` returns a new URL. Once the result has expired, `expired_at_sec` is in the past and the URL returns 404.',
  }),
  expired_at_sec: Type.Integer({ description: 'When the URL expires, in seconds since the Unix epoch.' }),
  message: Nullable(Type.String(), {
    description: 'A note about the result, for example that a value was not found. Null if there is none.',
  }),
  chart_urls: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The URLs of the charts, as SVG: one per query of a distribution, in the same order, or the map of the clusters. Absent from `/list-jobs`.',
    }),
  ),
  map_url: Type.Optional(
    Type.String({
      description:
        'The URL of the map of a clustering as JSON: the clusters and some of their users with their positions, to draw it yourself. Absent from `/list-jobs`.',
    }),
  ),
  table_url: Type.Optional(
    Type.String({
      description:
        'The URL of the result as a table, if the job was submitted with `table_format`. Absent from `/list-jobs`.',
    }),
  ),
  download_urls: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The URLs of all files of an export or a recommending job, in order. Absent from `/list-jobs`.',
    }),
  ),
  record_count: Type.Optional(
    Natural('The number of records in the files of an export, or that an import has written.'),
  ),
  rejected_count: Type.Optional(Natural('The number of records that an import has rejected.')),
  user_count: Type.Optional(Natural('The number of users in the files of a recommending job.')),
});
