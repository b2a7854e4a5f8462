-- What was called and written, over time. A version without it runs beside this one: its calls are not counted.

-- Each process counts in memory and adds its counts every few seconds.
CREATE TABLE call_counts (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- '': calls that belong to no project of the account.
  project_id text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  -- An API key, or the ID of a person.
  caller_id text COLLATE "C" NOT NULL,
  is_recommendation boolean NOT NULL,
  calls bigint NOT NULL,
  client_errors bigint NOT NULL,
  refused bigint NOT NULL,
  server_errors bigint NOT NULL,
  degraded bigint NOT NULL,
  -- Successful calls per step of lib/histogram.ts.
  durations bigint[] NOT NULL,
  PRIMARY KEY (account_id, project_id, hour, caller_id, is_recommendation)
) WITH (fillfactor = 70);

CREATE INDEX call_counts_by_hour ON call_counts (hour);

-- Events that were written, by the day of their ts; at most twenty years of them.
CREATE TABLE event_counts (
  dataset_key integer NOT NULL REFERENCES datasets ON DELETE CASCADE,
  day date NOT NULL,
  -- '': more types than are told apart.
  event_type text COLLATE "C" NOT NULL,
  events bigint NOT NULL,
  PRIMARY KEY (dataset_key, day, event_type)
) WITH (fillfactor = 70);

-- The record_count of a dataset at the end of each day; that of today is written several times.
CREATE TABLE dataset_sizes (
  dataset_key integer NOT NULL REFERENCES datasets ON DELETE CASCADE,
  day date NOT NULL,
  records bigint NOT NULL,
  PRIMARY KEY (dataset_key, day)
) WITH (fillfactor = 70);

CREATE INDEX dataset_sizes_by_day ON dataset_sizes (day);

INSERT INTO periodic_tasks (task) VALUES ('record dataset sizes');
