import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bucketsWithoutUsers, columnsWithUsers } from '../../src/erasure/places.ts';

const root = new URL('../../', import.meta.url).pathname;

/** Columns of text, JSON or bytes that hold no ID of a user, and why not. What a customer names or describes is no ID of theirs. */
const columnsWithoutUsers: Readonly<Record<string, readonly string[]>> = {
  'IDs, kinds and states of the service, keys and checksums of objects': [
    'account_deletions account_id removed',
    'accounts account_id plan',
    'algorithms algorithm_id algorithm_type',
    'api_keys api_key account_id operations event_dataset_id user_dataset_id',
    'attribution_files object_key sha256',
    'audit_events account_id actor operation object_id result request_id',
    'call_counts account_id project_id caller_id',
    'datasets dataset_id account_id kind',
    'decision_files first_id last_id object_key sha256',
    'erasures erasure_id account_id stage removed object_keys',
    'events recommendation_id',
    'experiment_variants model_id ranker_model_id',
    'experiments experiment_id metric verdict',
    'job_parts object_key sha256',
    'jobs job_id account_id job_type job_status',
    'loose_objects object_key',
    'models model_id algorithm_type object_key object_sha256 snapshot_key snapshot_sha256',
    'notices account_id notice',
    'outcomes model_id',
    'periodic_tasks task position',
    'projects project_id account_id project_type serving_uri',
    'scenarios question',
    'schedules schedule_id cron time_zone when_running',
    'schema_migrations name',
    'servers server_id',
    'sorted_batches object_key',
    'trial_reports server_id',
    'webhook_messages message_id account_id',
    'webhooks webhook_id account_id events',
    'workers worker_id',
  ],
  'names and settings that somebody chose': [
    'accounts name',
    'algorithms name algorithm_parameters',
    'api_keys name',
    'datasets name attribute_schema',
    'event_counts event_type',
    'events event_type',
    'experiment_variants name settings',
    'experiments name scenario promoted winner',
    'jobs name',
    'models name algorithm_parameters',
    'outcomes scenario variant',
    'plans plan',
    'projects name target_event_type negative_event_types title_attribute picture_attribute',
    'scenario_versions settings',
    'scenarios name',
    'schedules name',
    'webhooks url',
  ],
  'items, which `remains` names': ['events item_id', 'item_changes item_ids', 'items item_id attributes'],
  'counts and figures over many users': ['experiments figures', 'models training attributes'],
  'files, progress and problems of jobs, and messages about them, which name no users': [
    'jobs job_result error progress',
    'schedules last_missed',
    'trial_reports problem',
    'webhook_messages body',
    'webhooks disabled_reason last_failure',
  ],
  'people who work with the service, and secrets': [
    'api_keys created_by secret_salt secret_hash',
    'audit_events actor_email',
    'console_sessions token_hash person_id started_by',
    'identities issuer subject person_id',
    'people person_id account_id email name password_hash role',
    'secrets name secret',
    'sign_in_links person_id token_hash',
    'signing_keys kid public_jwk private_jwk',
    'webhooks secret previous_secret',
  ],
};

test('every column of text, JSON or bytes can hold the ID of a user and is erased, or cannot', () => {
  const schema = readFileSync(`${root}schema.sql`, 'utf8');
  const columns = Array.from(schema.matchAll(/CREATE TABLE public\.(\w+) \((.*?)\n\)/gs)).flatMap(
    ([, table = '', body = '']) =>
      // A partition has the columns of its table.
      /_p\d+$/.test(table)
        ? []
        : Array.from(
            body.matchAll(/^ +"?(\w+)"? (?:text|jsonb?|bytea|character)/gm),
            ([, name = '']) => `${table}.${name}`,
          ),
  );
  expect(columns.length).toBeGreaterThan(100);
  const without = Object.values(columnsWithoutUsers)
    .flat()
    .flatMap((line) => {
      const [table = '', ...names] = line.split(' ');
      return names.map((name) => `${table}.${name}`);
    });
  const decided = [...Object.keys(columnsWithUsers), ...without];
  expect(decided.toSorted()).toEqual(columns.toSorted());
});

test('every kind of token bucket in Redis is known to hold no user', () => {
  const names = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    file.startsWith('src/kernel/')
      ? []
      : Array.from(
          readFileSync(`${root}${file}`, 'utf8').matchAll(/name: '([\w-]+)',\s+(?:limit|seconds):/g),
          ([, name = '']) => name,
        ),
  );
  expect(names.toSorted()).toEqual(bucketsWithoutUsers.toSorted());
});
