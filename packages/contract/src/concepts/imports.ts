import Type from 'typebox';
import { ids } from '../bookshop.ts';
import { Closed, EventType, Id, MapOf, Name, Named, NamedObject } from '../fields.ts';
import { defineJobType, FilesResult } from '../job-type.ts';
import { limits } from '../limits.ts';
import { AllowOldTs } from './records.ts';

const part = '[a-z0-9_-]{1,128}';

const fields = {
  user_dataset_id: Type.Optional(Id('userDataset', 'The ID of the user dataset to import into')),
  item_dataset_id: Type.Optional(Id('itemDataset', 'The ID of the item dataset to import into')),
  event_dataset_id: Type.Optional(Id('eventDataset', 'The ID of the event dataset to import into')),
  path: Type.String({
    pattern: `^(${part}/)*(${part}(\\.[a-z0-9_-]{1,32}){1,3}|${part}/)$`,
    maxLength: limits.importPathLength,
    examples: ['events/2026-01.parquet', 'events/'],
    description:
      "A file below the folder `imports/<account_id>/` of the service's object store, such as `events/2026-01.parquet`, or a folder that ends with `/`: all files in it. Lower-case letters, digits, `_` and `-`.",
  }),
  columns: Type.Optional(
    Named(
      'ImportColumns',
      MapOf(Type.String({ minLength: 1, maxLength: 1000 }), {
        maxProperties: limits.importColumns,
        description:
          'Which column becomes which field or attribute, if the name of the column does not say it: `{"item_id": "sku"}`.',
      }),
    ),
  ),
  event_type: Type.Optional(EventType('The type of all events, if no column has it.')),
  allow_old_ts: AllowOldTs,
};

export const importing = defineJobType({
  data: NamedObject('ImportJobData', fields),
  result: FilesResult,
  submit: {
    summary: 'Import files from the object store into a dataset',
    description: [
      'Pass exactly one dataset of the project. The files may be CSV (also with tabs or semicolons, with a header), NDJSON or Parquet, and plain or gzip. The job reads them in byte order of their names, and writes their records as the upsert operations do, with the same checks. Columns become fields and attributes as they do in `tastegraph import`: by their names, and their types by the first 1,000 rows of each file.',
      'A rejected record does not stop the job. `record_count` in the result is the number of records that were written and `rejected_count` of those that were rejected; `download_url` has up to 10,000 of these as NDJSON: `{"file":"events/2026-01.csv","line":7,"code":"FIELD_INVALID","message":"ts must be an integer","record":{…}}`.',
      'Without a column for `event_id`, the ID is derived from user, item, time and type, so importing the same file again adds no event. If a worker stops or fails, the job starts again; records that are written already stay as they are. Files are not changed or removed.',
    ].join('\n\n'),
    request: Closed({ name: Name('job'), project_id: Id('project'), ...fields }),
  },
  example: {
    request: {
      name: 'Purchases of January',
      project_id: ids.project,
      event_dataset_id: ids.events,
      path: 'events/2026-01.parquet',
      event_type: 'purchase',
    },
    otherRequests: [
      {
        name: 'Catalogue',
        project_id: ids.project,
        item_dataset_id: ids.items,
        path: 'items/',
        columns: { item_id: 'isbn' },
      },
    ],
    response: { job_id: ids.import },
  },
});
