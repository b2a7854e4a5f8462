import Type from 'typebox';
import { ids } from '../bookshop.ts';
import { Closed, Id, Name, Named, NamedObject, Ts } from '../fields.ts';
import { defineJobType, FilesResult } from '../job-type.ts';

const fields = {
  user_dataset_id: Type.Optional(Id('userDataset', 'The ID of the user dataset to export')),
  item_dataset_id: Type.Optional(Id('itemDataset', 'The ID of the item dataset to export')),
  event_dataset_id: Type.Optional(Id('eventDataset', 'The ID of the event dataset to export')),
  experiment_id: Type.Optional(
    Id('experiment', 'The ID of the experiment whose exposures to export, instead of a dataset'),
  ),
  format: Named(
    'ExportFormat',
    Type.Enum(['NDJSON', 'CSV', 'PARQUET'], { description: 'The format of the files.' }),
  ),
  since_ts: Type.Optional(Ts('Export only events at or after this time')),
};

export const exporting = defineJobType({
  data: NamedObject('ExportJobData', fields),
  result: FilesResult,
  submit: {
    summary: 'Export the records of a dataset to files',
    description: [
      'Pass exactly one dataset or experiment of the project. `since_ts` applies only to events.',
      'Each record that exists during the whole export is in the files exactly once, in byte order of its ID. The export is not a snapshot: if you write or delete a record meanwhile, the files contain it as it was before or after the change, or not at all.',
      'A new file starts after about 256 MiB; `download_urls` lists all files. NDJSON has one record per line, as the get operations return it. CSV and Parquet have one column per field, one per attribute of the attribute schema, and the column `attributes` with all attributes as JSON. `tastegraph import` reads each of these formats without loss.',
      'The exposures of an experiment are one row per user: `experiment_id`, `variation_id` (the number of the variant, starting at 0), `variation_name`, `user_id` and `timestamp` (of the first response), as GrowthBook and similar tools read them.',
    ].join('\n\n'),
    request: Closed({ name: Name('job'), project_id: Id('project'), ...fields }),
  },
  example: {
    request: {
      name: 'Purchases for the warehouse',
      project_id: ids.project,
      event_dataset_id: ids.events,
      format: 'PARQUET',
      since_ts: 1_767_225_600_000,
    },
    response: { job_id: ids.export },
  },
});
