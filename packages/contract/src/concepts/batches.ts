import Type from 'typebox';
import { ids } from '../bookshop.ts';
import { Closed, Id, Name, Named, NamedObject, UserId } from '../fields.ts';
import { defineJobType, FilesResult } from '../job-type.ts';
import { limits } from '../limits.ts';
import { listSettings, seenFields, shownFields } from './placements.ts';

const fields = {
  user_ids: Type.Optional(
    Type.Array(UserId, {
      minItems: 1,
      maxItems: limits.listedUsers,
      description:
        'The users to recommend items to. If absent, all users: those with a record, and those with events.',
    }),
  ),
  format: Named(
    'RecommendationFormat',
    Type.Enum(['NDJSON', 'CSV', 'PARQUET'], { description: 'The format of the files.' }),
  ),
  scenario: Type.Optional(
    Type.String({
      ...Name('scenario'),
      description:
        'The name of a scenario of the project with the question `ITEMS_TO_USER`. The job takes its fields as they are when you submit it, unless the request has them itself.',
    }),
  ),
  ...listSettings,
  ...seenFields,
  attributes: shownFields.attributes,
};

export const recommending = defineJobType({
  data: NamedObject('RecommendingJobData', fields),
  result: FilesResult,
  submit: {
    summary: 'Recommend items to all users, or to a list of users',
    description: [
      'Recommends items to each user as `/recommend-items-to-user` does, with the same fields, and writes the recommendations to files. Each user is in the files exactly once, in byte order of `user_id`. The job does not count toward `qps`.',
      'The job uses the models that are deployed when it starts, even if you deploy others before it ends. The recommendations for a user reflect the data at the time they are computed.',
      'A file has at least 50,000 users, except for the last one; `download_urls` lists all files. NDJSON has one line per user, such as `{"user_id":"u7","results":[{"item":{"item_id":"i1","title":"Emma"}}],"shortfall":null}`, with the `results` and `shortfall` of the recommendation call. CSV and Parquet have one row per recommended item, with the columns `user_id`, `position` (from 1), `item_id` and one per requested attribute; a user without recommended items has no row.',
      'If a worker stops or fails, the job continues after the last complete file.',
    ].join('\n\n'),
    maxBodyBytes: limits.mediumBodyBytes,
    request: Closed({ name: Name('job'), project_id: Id('project'), ...fields }),
    errors: ['PROJECT_NOT_DEPLOYED'],
  },
  example: {
    request: {
      name: 'Monday newsletter',
      project_id: ids.project,
      format: 'NDJSON',
      limit: 5,
      attributes: ['title'],
      filter_query: 'item.price < 20.0',
    },
    otherRequests: [
      { name: 'Anna and Ben', project_id: ids.project, format: 'NDJSON', user_ids: ['anna', 'ben'] },
    ],
    response: { job_id: ids.recommending },
  },
});
