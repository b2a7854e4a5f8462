-- Items by their IDs and the number of the partition, for the reason given in 0039_user_reads.sql: one statement reads the items of many
-- projects. Without names, whole records are read; with an empty list, only which items exist. Small records are always whole, because
-- extracting attributes would take longer.
DO $migration$
DECLARE
  query text := $$SELECT i.item_id, CASE WHEN cardinality(%4$s) = 0 THEN ''
      WHEN %4$s IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(%4$s) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(%3$s) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM %1$s WHERE dataset_key = %2$s AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place$$;
  partitions constant integer := 16;
  branches text[];
  width integer := 1;
BEGIN
  branches := ARRAY(
    SELECT format('RETURN QUERY %s;', format(query, 'items_p' || lpad(n::text, 2, '0'), 'key', 'ids', 'names'))
    FROM generate_series(0, partitions - 1) n ORDER BY n);
  WHILE cardinality(branches) > 1 LOOP
    branches := ARRAY(
      SELECT format(E'IF part < %s THEN\n%s\nELSE\n%s\nEND IF;', (2 * n + 1) * width, branches[2 * n + 1], branches[2 * n + 2])
      FROM generate_series(0, cardinality(branches) / 2 - 1) n ORDER BY n);
    width := 2 * width;
  END LOOP;
  EXECUTE format(
    E'CREATE FUNCTION read_items (part integer, key integer, ids text[], names text[]) RETURNS TABLE (found_id text, fields text)\n'
    'LANGUAGE plpgsql STABLE ROWS 20 AS %L',
    format(E'BEGIN\nIF part >= %s THEN\nRETURN QUERY EXECUTE format(%L, format(''%%I'', ''items_p'' || part)) USING key, ids, names;\nRETURN;\nEND IF;\n%s\nEND',
      partitions, format(query, '%s', '$1', '$2', '$3'), branches[1]));
END $migration$;
