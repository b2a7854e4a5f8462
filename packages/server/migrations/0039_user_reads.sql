-- The state of a user, by the number of the partition. A statement that names the partitions of users and events is another one for each of
-- 1,024 pairs of them, and a connection that serves many projects would prepare them all. A function keeps one plan per partition instead,
-- made when it is first used. It finds the partition in a tree of comparisons; a dataset with a table of its own is read by a dynamic
-- statement.
DO $migration$
DECLARE
  record_query text := $$SELECT attributes::text FROM %s WHERE dataset_key = %s AND user_id = %s COLLATE "C"$$;
  history_query text := $$SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM %s WHERE dataset_key = %s AND user_id = %s COLLATE "C" AND ts <= %s
    ORDER BY ts DESC, item_id, event_type LIMIT %s) newest$$;
  branches text[];
  width integer;
  reads record;
BEGIN
  FOR reads IN
    SELECT 'read_user_record' AS name, 'users' AS parent, 16 AS partitions, record_query AS query, 'key integer, id text' AS parameters,
      ARRAY['key', 'id'] AS arguments
    UNION ALL
    SELECT 'read_user_history', 'events', 64, history_query, 'key integer, id text, until_ts bigint, max_events integer',
      ARRAY['key', 'id', 'until_ts', 'max_events']
  LOOP
    branches := ARRAY(
      SELECT format('RETURN (%s);', format(reads.query, VARIADIC ARRAY[reads.parent || '_p' || lpad(n::text, 2, '0')] || reads.arguments))
      FROM generate_series(0, reads.partitions - 1) n ORDER BY n);
    width := 1;
    WHILE cardinality(branches) > 1 LOOP
      branches := ARRAY(
        SELECT format(E'IF part < %s THEN\n%s\nELSE\n%s\nEND IF;', (2 * n + 1) * width, branches[2 * n + 1], branches[2 * n + 2])
        FROM generate_series(0, cardinality(branches) / 2 - 1) n ORDER BY n);
      width := 2 * width;
    END LOOP;
    EXECUTE format(
      E'CREATE FUNCTION %I (part integer, %s) RETURNS text LANGUAGE plpgsql STABLE AS %L',
      reads.name, reads.parameters,
      format(E'DECLARE\nresult text;\nBEGIN\nIF part >= %s THEN\nEXECUTE format(%L, format(''%%I'', %L || part)) INTO result USING %s;\nRETURN result;\nEND IF;\n%s\nEND',
        reads.partitions,
        format(reads.query, VARIADIC ARRAY['%s'] || ARRAY(SELECT '$' || n FROM generate_series(1, cardinality(reads.arguments)) n)),
        reads.parent || '_p', array_to_string(reads.arguments, ', '), branches[1]));
  END LOOP;
END $migration$;
