-- Generated from the migrations; do not edit.

CREATE FUNCTION public.note_first_deployment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  UPDATE projects SET first_deployed_at = clock_timestamp()
    WHERE project_key = NEW.project_key AND first_deployed_at IS NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION public.read_items(part integer, key integer, ids text[], names text[]) RETURNS TABLE(found_id text, fields text)
    LANGUAGE plpgsql STABLE ROWS 20
    AS $_$BEGIN
IF part >= 16 THEN
RETURN QUERY EXECUTE format('SELECT i.item_id, CASE WHEN cardinality($3) = 0 THEN ''''
      WHEN $3 IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest($3) WITH ORDINALITY AS name (name, place)) END
    FROM unnest($2) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM %s WHERE dataset_key = $1 AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place', format('%I', 'items_p' || part)) USING key, ids, names;
RETURN;
END IF;
IF part < 8 THEN
IF part < 4 THEN
IF part < 2 THEN
IF part < 1 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p00 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p01 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
ELSE
IF part < 3 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p02 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p03 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
END IF;
ELSE
IF part < 6 THEN
IF part < 5 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p04 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p05 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
ELSE
IF part < 7 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p06 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p07 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
END IF;
END IF;
ELSE
IF part < 12 THEN
IF part < 10 THEN
IF part < 9 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p08 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p09 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
ELSE
IF part < 11 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p10 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p11 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
END IF;
ELSE
IF part < 14 THEN
IF part < 13 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p12 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p13 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
ELSE
IF part < 15 THEN
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p14 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
ELSE
RETURN QUERY SELECT i.item_id, CASE WHEN cardinality(names) = 0 THEN ''
      WHEN names IS NULL OR pg_column_size(i.attributes) < 1000 THEN i.attributes::text
      ELSE (SELECT json_agg(i.attributes -> name.name ORDER BY name.place)::text FROM unnest(names) WITH ORDINALITY AS name (name, place)) END
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place), LATERAL (
      SELECT item_id, attributes FROM items_p15 WHERE dataset_key = key AND item_id = asked.id COLLATE "C" LIMIT 1) i
    ORDER BY asked.place;
END IF;
END IF;
END IF;
END IF;
END$_$;

CREATE FUNCTION public.read_user_history(part integer, key integer, id text, until_ts bigint, max_events integer) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $_$DECLARE
result text;
BEGIN
IF part >= 64 THEN
EXECUTE format(E'SELECT string_agg(item_id || E''\\x1f'' || event_type || E''\\x1f'' || event_value, E''\\x1f'') FROM (
    SELECT item_id, event_type, event_value FROM %s WHERE dataset_key = $1 AND user_id = $2 COLLATE "C" AND ts <= $3
    ORDER BY ts DESC, item_id, event_type LIMIT $4) newest', format('%I', 'events_p' || part)) INTO result USING key, id, until_ts, max_events;
RETURN result;
END IF;
IF part < 32 THEN
IF part < 16 THEN
IF part < 8 THEN
IF part < 4 THEN
IF part < 2 THEN
IF part < 1 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p00 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p01 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 3 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p02 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p03 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 6 THEN
IF part < 5 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p04 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p05 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 7 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p06 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p07 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
ELSE
IF part < 12 THEN
IF part < 10 THEN
IF part < 9 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p08 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p09 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 11 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p10 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p11 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 14 THEN
IF part < 13 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p12 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p13 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 15 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p14 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p15 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
END IF;
ELSE
IF part < 24 THEN
IF part < 20 THEN
IF part < 18 THEN
IF part < 17 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p16 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p17 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 19 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p18 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p19 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 22 THEN
IF part < 21 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p20 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p21 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 23 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p22 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p23 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
ELSE
IF part < 28 THEN
IF part < 26 THEN
IF part < 25 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p24 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p25 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 27 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p26 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p27 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 30 THEN
IF part < 29 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p28 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p29 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 31 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p30 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p31 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
END IF;
END IF;
ELSE
IF part < 48 THEN
IF part < 40 THEN
IF part < 36 THEN
IF part < 34 THEN
IF part < 33 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p32 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p33 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 35 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p34 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p35 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 38 THEN
IF part < 37 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p36 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p37 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 39 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p38 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p39 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
ELSE
IF part < 44 THEN
IF part < 42 THEN
IF part < 41 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p40 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p41 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 43 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p42 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p43 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 46 THEN
IF part < 45 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p44 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p45 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 47 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p46 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p47 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
END IF;
ELSE
IF part < 56 THEN
IF part < 52 THEN
IF part < 50 THEN
IF part < 49 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p48 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p49 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 51 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p50 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p51 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 54 THEN
IF part < 53 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p52 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p53 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 55 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p54 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p55 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
ELSE
IF part < 60 THEN
IF part < 58 THEN
IF part < 57 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p56 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p57 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 59 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p58 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p59 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
ELSE
IF part < 62 THEN
IF part < 61 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p60 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p61 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
ELSE
IF part < 63 THEN
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p62 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
ELSE
RETURN (SELECT string_agg(item_id || E'\x1f' || event_type || E'\x1f' || event_value, E'\x1f') FROM (
    SELECT item_id, event_type, event_value FROM events_p63 WHERE dataset_key = key AND user_id = id COLLATE "C" AND ts <= until_ts
    ORDER BY ts DESC, item_id, event_type LIMIT max_events) newest);
END IF;
END IF;
END IF;
END IF;
END IF;
END IF;
END$_$;

CREATE FUNCTION public.read_user_record(part integer, key integer, id text) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $_$DECLARE
result text;
BEGIN
IF part >= 16 THEN
EXECUTE format('SELECT attributes::text FROM %s WHERE dataset_key = $1 AND user_id = $2 COLLATE "C"', format('%I', 'users_p' || part)) INTO result USING key, id;
RETURN result;
END IF;
IF part < 8 THEN
IF part < 4 THEN
IF part < 2 THEN
IF part < 1 THEN
RETURN (SELECT attributes::text FROM users_p00 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p01 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
ELSE
IF part < 3 THEN
RETURN (SELECT attributes::text FROM users_p02 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p03 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
END IF;
ELSE
IF part < 6 THEN
IF part < 5 THEN
RETURN (SELECT attributes::text FROM users_p04 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p05 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
ELSE
IF part < 7 THEN
RETURN (SELECT attributes::text FROM users_p06 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p07 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
END IF;
END IF;
ELSE
IF part < 12 THEN
IF part < 10 THEN
IF part < 9 THEN
RETURN (SELECT attributes::text FROM users_p08 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p09 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
ELSE
IF part < 11 THEN
RETURN (SELECT attributes::text FROM users_p10 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p11 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
END IF;
ELSE
IF part < 14 THEN
IF part < 13 THEN
RETURN (SELECT attributes::text FROM users_p12 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p13 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
ELSE
IF part < 15 THEN
RETURN (SELECT attributes::text FROM users_p14 WHERE dataset_key = key AND user_id = id COLLATE "C");
ELSE
RETURN (SELECT attributes::text FROM users_p15 WHERE dataset_key = key AND user_id = id COLLATE "C");
END IF;
END IF;
END IF;
END IF;
END$_$;

CREATE TABLE public.account_deletions (
    account_id text NOT NULL COLLATE pg_catalog."C",
    requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    removed jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE public.accounts (
    account_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    plan text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    training_seconds double precision DEFAULT 0 NOT NULL,
    default_project_key integer
);

CREATE TABLE public.algorithms (
    algorithm_key integer NOT NULL,
    algorithm_id text NOT NULL COLLATE pg_catalog."C",
    project_key integer NOT NULL,
    name text NOT NULL,
    algorithm_type text NOT NULL,
    algorithm_parameters jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.algorithms ALTER COLUMN algorithm_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.algorithms_algorithm_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.api_keys (
    api_key text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    secret_salt bytea NOT NULL,
    secret_hash bytea NOT NULL,
    operations text[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    name text,
    last_used_at timestamp with time zone,
    event_dataset_id text COLLATE pg_catalog."C",
    user_dataset_id text COLLATE pg_catalog."C",
    created_by text COLLATE pg_catalog."C",
    CONSTRAINT api_keys_write_events CHECK (((user_dataset_id IS NULL) OR (event_dataset_id IS NOT NULL)))
);

CREATE TABLE public.attribution_files (
    project_key integer NOT NULL,
    event_day integer NOT NULL,
    answer_days integer[] NOT NULL,
    object_key text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    sha256 text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.audit_events (
    event_key bigint NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    actor_email text COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    object_id text COLLATE pg_catalog."C",
    result text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    calls integer DEFAULT 1 NOT NULL,
    hour timestamp with time zone
);

ALTER TABLE public.audit_events ALTER COLUMN event_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_events_event_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.call_counts (
    account_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    hour timestamp with time zone NOT NULL,
    caller_id text NOT NULL COLLATE pg_catalog."C",
    is_recommendation boolean NOT NULL,
    calls bigint NOT NULL,
    client_errors bigint NOT NULL,
    refused bigint NOT NULL,
    server_errors bigint NOT NULL,
    degraded bigint NOT NULL,
    durations bigint[] NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.console_sessions (
    token_hash bytea NOT NULL,
    person_id text NOT NULL COLLATE pg_catalog."C",
    started_by text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    CONSTRAINT console_sessions_started_by_check CHECK ((started_by = ANY (ARRAY['PASSWORD'::text, 'LINK'::text, 'OIDC'::text])))
);

CREATE TABLE public.dataset_counts (
    dataset_key integer NOT NULL,
    slot smallint NOT NULL,
    record_count bigint DEFAULT 0 NOT NULL,
    changed_days bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.dataset_sizes (
    dataset_key integer NOT NULL,
    day date NOT NULL,
    records bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.datasets (
    dataset_key integer NOT NULL,
    dataset_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    num_shards integer NOT NULL,
    attribute_schema jsonb,
    partition smallint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    retention_days integer,
    retention_due_at timestamp with time zone,
    retention_from_ts bigint,
    CONSTRAINT datasets_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'item'::text, 'event'::text]))),
    CONSTRAINT datasets_num_shards_check CHECK (((num_shards >= 1) AND (num_shards <= 10000)))
);

ALTER TABLE public.datasets ALTER COLUMN dataset_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.datasets_dataset_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.decision_files (
    file_key bigint NOT NULL,
    project_key integer NOT NULL,
    day integer NOT NULL,
    first_id text NOT NULL COLLATE pg_catalog."C",
    last_id text NOT NULL COLLATE pg_catalog."C",
    answers integer NOT NULL,
    object_key text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    sha256 text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE public.decision_files ALTER COLUMN file_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.decision_files_file_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.deployment_trials (
    job_key integer NOT NULL,
    attempt integer NOT NULL,
    project_key integer NOT NULL,
    generator_model_key integer NOT NULL,
    ranker_model_key integer,
    ends_at timestamp with time zone
);

CREATE TABLE public.deployments (
    project_key integer NOT NULL,
    generator_model_key integer NOT NULL,
    ranker_model_key integer,
    qps integer NOT NULL,
    deployed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT deployments_qps_check CHECK ((qps >= 1))
);

CREATE TABLE public.erasures (
    erasure_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    stage text DEFAULT 'RECORDS'::text NOT NULL COLLATE pg_catalog."C",
    "position" bigint DEFAULT 0 NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    removed jsonb DEFAULT '{}'::jsonb NOT NULL,
    object_keys text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    records_deleted_at timestamp with time zone,
    snapshots_removed_at timestamp with time zone,
    finished_at timestamp with time zone,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT erasures_check CHECK (((stage = 'DONE'::text) = (user_id IS NULL))),
    CONSTRAINT erasures_stage_check CHECK ((stage = ANY (ARRAY['RECORDS'::text, 'SNAPSHOTS'::text, 'RESULTS'::text, 'DECISIONS'::text, 'FILES'::text, 'DONE'::text])))
);

CREATE TABLE public.event_counts (
    dataset_key integer NOT NULL,
    day date NOT NULL,
    event_type text NOT NULL COLLATE pg_catalog."C",
    events bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.events (
    dataset_key integer NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    item_id text NOT NULL COLLATE pg_catalog."C",
    ts bigint NOT NULL,
    event_type text NOT NULL COLLATE pg_catalog."C",
    event_value double precision NOT NULL,
    attributes jsonb,
    recommendation_id text COLLATE pg_catalog."C"
)
PARTITION BY HASH (dataset_key);

CREATE TABLE public.experiment_variants (
    experiment_key integer NOT NULL,
    "position" smallint NOT NULL,
    name text NOT NULL,
    share double precision NOT NULL,
    model_key integer,
    ranker_model_key integer,
    model_id text COLLATE pg_catalog."C",
    ranker_model_id text COLLATE pg_catalog."C",
    scenario_version integer,
    settings json
);

CREATE TABLE public.experiments (
    experiment_key integer NOT NULL,
    experiment_id text NOT NULL COLLATE pg_catalog."C",
    project_key integer NOT NULL,
    name text NOT NULL,
    scenario text NOT NULL COLLATE pg_catalog."C",
    scenario_key integer,
    metric text NOT NULL COLLATE pg_catalog."C",
    window_hours double precision NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    stopped_at timestamp with time zone,
    promoted text,
    figures jsonb,
    measured_at timestamp with time zone,
    verdict text DEFAULT 'UNDECIDED'::text NOT NULL COLLATE pg_catalog."C",
    winner text,
    decided_at timestamp with time zone
);

ALTER TABLE public.experiments ALTER COLUMN experiment_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.experiments_experiment_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.identities (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    person_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.item_changes (
    dataset_key integer NOT NULL,
    changed_by xid8 DEFAULT pg_current_xact_id() NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    item_ids text[] NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.items (
    dataset_key integer NOT NULL,
    item_id text NOT NULL COLLATE pg_catalog."C",
    attributes jsonb NOT NULL
)
PARTITION BY HASH (dataset_key);

CREATE TABLE public.job_parts (
    job_key integer NOT NULL,
    part integer NOT NULL,
    object_key text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    sha256 text NOT NULL COLLATE pg_catalog."C",
    users integer NOT NULL,
    last_user_id text NOT NULL COLLATE pg_catalog."C",
    started_at timestamp with time zone NOT NULL
);

CREATE TABLE public.jobs (
    job_key integer NOT NULL,
    job_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    project_key integer NOT NULL,
    job_type text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    job_data jsonb NOT NULL,
    job_status text DEFAULT 'PENDING'::text NOT NULL COLLATE pg_catalog."C",
    turn integer NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    retry_count smallint DEFAULT 0 NOT NULL,
    job_result jsonb,
    error jsonb,
    progress jsonb,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    heartbeat_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT jobs_job_status_check CHECK ((job_status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'SUCCEED'::text, 'FAILED'::text, 'CANCELED'::text])))
)
WITH (fillfactor='70');

ALTER TABLE public.jobs ALTER COLUMN job_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.jobs_job_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.loose_objects (
    object_key text NOT NULL COLLATE pg_catalog."C",
    job_key integer,
    attempt integer,
    claimed_until timestamp with time zone
);

CREATE TABLE public.models (
    model_key integer NOT NULL,
    model_id text NOT NULL COLLATE pg_catalog."C",
    project_key integer NOT NULL,
    job_key integer,
    name text NOT NULL,
    algorithm_type text NOT NULL,
    algorithm_parameters jsonb NOT NULL,
    training jsonb NOT NULL,
    object_key text NOT NULL COLLATE pg_catalog."C",
    object_size bigint NOT NULL,
    object_sha256 text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    snapshot_key text COLLATE pg_catalog."C",
    snapshot_size bigint,
    snapshot_sha256 text COLLATE pg_catalog."C",
    attributes jsonb,
    CONSTRAINT models_snapshot CHECK ((num_nulls(snapshot_key, snapshot_size, snapshot_sha256, attributes) = ANY (ARRAY[0, 4])))
);

ALTER TABLE public.models ALTER COLUMN model_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.models_model_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.notices (
    account_id text NOT NULL COLLATE pg_catalog."C",
    notice text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.outcome_days (
    project_key integer NOT NULL,
    day integer NOT NULL,
    answers integer DEFAULT 0 NOT NULL,
    visits double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    converted double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    target_events double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    value double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    recommended_visits double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    recommended_converted double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    recommended_target_events double precision[] DEFAULT '{}'::double precision[] NOT NULL,
    recommended_value double precision[] DEFAULT '{}'::double precision[] NOT NULL
);

CREATE TABLE public.outcome_states (
    project_key integer NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    changed_days bigint DEFAULT '-1'::integer NOT NULL,
    taken_days bigint DEFAULT 0 NOT NULL,
    run integer DEFAULT 0 NOT NULL,
    attribution_hours integer,
    attributed_at timestamp with time zone,
    event_value_max double precision
);

CREATE TABLE public.outcomes (
    project_key integer NOT NULL,
    day integer NOT NULL,
    scenario text NOT NULL COLLATE pg_catalog."C",
    model_id text NOT NULL COLLATE pg_catalog."C",
    variant text NOT NULL COLLATE pg_catalog."C",
    answers double precision[] NOT NULL,
    clicked double precision[] NOT NULL,
    converted double precision[] NOT NULL,
    target_events double precision[] NOT NULL,
    value double precision[] NOT NULL
);

CREATE TABLE public.past_deployments (
    past_key bigint NOT NULL,
    project_key integer NOT NULL,
    generator_model_key integer NOT NULL,
    ranker_model_key integer
);

ALTER TABLE public.past_deployments ALTER COLUMN past_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.past_deployments_past_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.people (
    person_id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    password_hash text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT people_role_check CHECK ((role = ANY (ARRAY['VIEWER'::text, 'EDITOR'::text, 'OPERATOR'::text, 'OWNER'::text])))
);

CREATE TABLE public.periodic_tasks (
    task text NOT NULL COLLATE pg_catalog."C",
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    "position" text COLLATE pg_catalog."C"
);

CREATE TABLE public.plans (
    plan text NOT NULL,
    max_event_shards integer NOT NULL,
    max_training_hours double precision,
    max_qps integer,
    max_user_shards integer DEFAULT 100000 NOT NULL,
    max_item_shards integer DEFAULT 100000 NOT NULL,
    max_projects integer DEFAULT 1000 NOT NULL,
    max_algorithms integer DEFAULT 10000 NOT NULL,
    max_models integer DEFAULT 10000 NOT NULL,
    CONSTRAINT plans_max_algorithms_check CHECK ((max_algorithms >= 0)),
    CONSTRAINT plans_max_event_shards_check CHECK ((max_event_shards >= 0)),
    CONSTRAINT plans_max_item_shards_check CHECK ((max_item_shards >= 0)),
    CONSTRAINT plans_max_models_check CHECK ((max_models >= 0)),
    CONSTRAINT plans_max_projects_check CHECK ((max_projects >= 0)),
    CONSTRAINT plans_max_qps_check CHECK ((max_qps >= 1)),
    CONSTRAINT plans_max_training_hours_check CHECK ((max_training_hours >= (0)::double precision)),
    CONSTRAINT plans_max_user_shards_check CHECK ((max_user_shards >= 0))
);

CREATE TABLE public.projects (
    project_key integer NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    project_type text NOT NULL,
    user_dataset_key integer NOT NULL,
    item_dataset_key integer NOT NULL,
    event_dataset_key integer NOT NULL,
    target_event_type text NOT NULL COLLATE pg_catalog."C",
    serving_uri text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    first_deployed_at timestamp with time zone,
    last_cluster_id integer DEFAULT 0 NOT NULL,
    negative_event_types text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    title_attribute text COLLATE pg_catalog."C",
    picture_attribute text COLLATE pg_catalog."C",
    attribution_hours integer DEFAULT 24 NOT NULL,
    event_value_max double precision,
    CONSTRAINT projects_attribution_hours_check CHECK (((attribution_hours >= 1) AND (attribution_hours <= 168))),
    CONSTRAINT projects_event_value_max_check CHECK ((event_value_max >= (0)::double precision))
);

ALTER TABLE public.projects ALTER COLUMN project_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.projects_project_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE public.rollback_trials
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
    CYCLE;

CREATE TABLE public.scenario_versions (
    scenario_key integer NOT NULL,
    version integer NOT NULL,
    settings json NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.scenarios (
    scenario_key integer NOT NULL,
    project_key integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    question text NOT NULL COLLATE pg_catalog."C",
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.scenarios ALTER COLUMN scenario_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.scenarios_scenario_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.schedules (
    schedule_key integer NOT NULL,
    schedule_id text NOT NULL COLLATE pg_catalog."C",
    project_key integer NOT NULL,
    name text NOT NULL,
    cron text NOT NULL,
    time_zone text NOT NULL,
    what jsonb NOT NULL,
    when_running text NOT NULL COLLATE pg_catalog."C",
    paused boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    next_at timestamp with time zone NOT NULL,
    last_scheduled_at timestamp with time zone,
    last_run_at timestamp with time zone,
    last_job_key integer,
    follow_job_key integer,
    missed_runs integer DEFAULT 0 NOT NULL,
    last_missed jsonb,
    CONSTRAINT schedules_when_running_check CHECK ((when_running = ANY (ARRAY['SKIP'::text, 'QUEUE'::text])))
);

ALTER TABLE public.schedules ALTER COLUMN schedule_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.schedules_schedule_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.secrets (
    name text NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL
);

CREATE TABLE public.servers (
    server_id text NOT NULL COLLATE pg_catalog."C",
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.sign_in_links (
    person_id text NOT NULL COLLATE pg_catalog."C",
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.signing_keys (
    kid text NOT NULL COLLATE pg_catalog."C",
    public_jwk jsonb NOT NULL,
    private_jwk jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.sorted_batches (
    object_key text NOT NULL COLLATE pg_catalog."C",
    sorted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.trial_reports (
    job_key integer NOT NULL,
    attempt integer NOT NULL,
    server_id text NOT NULL COLLATE pg_catalog."C",
    problem text
);

CREATE TABLE public.users (
    dataset_key integer NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    attributes jsonb NOT NULL
)
PARTITION BY HASH (dataset_key);

CREATE TABLE public.webhook_messages (
    message_key bigint NOT NULL,
    message_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    webhook_key integer NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE public.webhook_messages ALTER COLUMN message_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_messages_message_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.webhooks (
    webhook_key integer NOT NULL,
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events text[] NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_until timestamp with time zone,
    enabled boolean DEFAULT true NOT NULL,
    disabled_reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_delivered_at timestamp with time zone,
    failing_since timestamp with time zone,
    last_failure jsonb
);

ALTER TABLE public.webhooks ALTER COLUMN webhook_key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhooks_webhook_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.workers (
    worker_id text NOT NULL COLLATE pg_catalog."C",
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.account_deletions
    ADD CONSTRAINT account_deletions_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.algorithms
    ADD CONSTRAINT algorithms_algorithm_id_key UNIQUE (algorithm_id);

ALTER TABLE ONLY public.algorithms
    ADD CONSTRAINT algorithms_pkey PRIMARY KEY (algorithm_key);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (api_key);

ALTER TABLE ONLY public.attribution_files
    ADD CONSTRAINT attribution_files_object_key_key UNIQUE (object_key);

ALTER TABLE ONLY public.attribution_files
    ADD CONSTRAINT attribution_files_pkey PRIMARY KEY (project_key, event_day);

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (event_key);

ALTER TABLE ONLY public.call_counts
    ADD CONSTRAINT call_counts_pkey PRIMARY KEY (account_id, project_id, hour, caller_id, is_recommendation);

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash, person_id);

ALTER TABLE ONLY public.dataset_counts
    ADD CONSTRAINT dataset_counts_pkey PRIMARY KEY (dataset_key, slot);

ALTER TABLE ONLY public.dataset_sizes
    ADD CONSTRAINT dataset_sizes_pkey PRIMARY KEY (dataset_key, day);

ALTER TABLE ONLY public.datasets
    ADD CONSTRAINT datasets_dataset_id_key UNIQUE (dataset_id);

ALTER TABLE ONLY public.datasets
    ADD CONSTRAINT datasets_pkey PRIMARY KEY (dataset_key);

ALTER TABLE ONLY public.decision_files
    ADD CONSTRAINT decision_files_object_key_key UNIQUE (object_key);

ALTER TABLE ONLY public.decision_files
    ADD CONSTRAINT decision_files_pkey PRIMARY KEY (file_key);

ALTER TABLE ONLY public.deployment_trials
    ADD CONSTRAINT deployment_trials_pkey PRIMARY KEY (job_key, attempt);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (project_key);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (erasure_id);

ALTER TABLE ONLY public.event_counts
    ADD CONSTRAINT event_counts_pkey PRIMARY KEY (dataset_key, day, event_type);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (dataset_key, event_id);

ALTER TABLE ONLY public.experiment_variants
    ADD CONSTRAINT experiment_variants_pkey PRIMARY KEY (experiment_key, "position");

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_experiment_id_key UNIQUE (experiment_id);

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_pkey PRIMARY KEY (experiment_key);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (person_id);

ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (dataset_key, item_id);

ALTER TABLE ONLY public.job_parts
    ADD CONSTRAINT job_parts_pkey PRIMARY KEY (job_key, part);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_job_id_key UNIQUE (job_id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (job_key);

ALTER TABLE ONLY public.loose_objects
    ADD CONSTRAINT loose_objects_pkey PRIMARY KEY (object_key);

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_job_key_key UNIQUE (job_key);

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_model_id_key UNIQUE (model_id);

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (model_key);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (account_id, notice);

ALTER TABLE ONLY public.outcome_days
    ADD CONSTRAINT outcome_days_pkey PRIMARY KEY (project_key, day);

ALTER TABLE ONLY public.outcome_states
    ADD CONSTRAINT outcome_states_pkey PRIMARY KEY (project_key);

ALTER TABLE ONLY public.outcomes
    ADD CONSTRAINT outcomes_pkey PRIMARY KEY (project_key, day, scenario, model_id, variant);

ALTER TABLE ONLY public.past_deployments
    ADD CONSTRAINT past_deployments_pkey PRIMARY KEY (past_key);

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_account_email_key UNIQUE (account_id, email);

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (person_id);

ALTER TABLE ONLY public.periodic_tasks
    ADD CONSTRAINT periodic_tasks_pkey PRIMARY KEY (task);

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (plan);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (project_key);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_project_id_key UNIQUE (project_id);

ALTER TABLE ONLY public.scenario_versions
    ADD CONSTRAINT scenario_versions_pkey PRIMARY KEY (scenario_key, version);

ALTER TABLE ONLY public.scenarios
    ADD CONSTRAINT scenarios_pkey PRIMARY KEY (scenario_key);

ALTER TABLE ONLY public.scenarios
    ADD CONSTRAINT scenarios_project_key_name_key UNIQUE (project_key, name);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (schedule_key);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_schedule_id_key UNIQUE (schedule_id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.servers
    ADD CONSTRAINT servers_pkey PRIMARY KEY (server_id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (person_id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);

ALTER TABLE ONLY public.sorted_batches
    ADD CONSTRAINT sorted_batches_pkey PRIMARY KEY (object_key);

ALTER TABLE ONLY public.trial_reports
    ADD CONSTRAINT trial_reports_pkey PRIMARY KEY (job_key, attempt, server_id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (dataset_key, user_id);

ALTER TABLE ONLY public.webhook_messages
    ADD CONSTRAINT webhook_messages_pkey PRIMARY KEY (message_key);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (webhook_key);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_webhook_id_key UNIQUE (webhook_id);

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker_id);

CREATE INDEX account_deletions_running ON public.account_deletions USING btree (account_id) WHERE (finished_at IS NULL);

CREATE INDEX accounts_by_default_project ON public.accounts USING btree (default_project_key) WHERE (default_project_key IS NOT NULL);

CREATE INDEX algorithms_by_project ON public.algorithms USING btree (project_key, algorithm_key DESC);

CREATE INDEX api_keys_by_account ON public.api_keys USING btree (account_id);

CREATE INDEX attribution_files_by_age ON public.attribution_files USING btree (event_day);

CREATE INDEX audit_events_by_account ON public.audit_events USING btree (account_id, event_key DESC);

CREATE INDEX audit_events_by_actor ON public.audit_events USING btree (account_id, actor, event_key DESC);

CREATE INDEX audit_events_by_operation ON public.audit_events USING btree (account_id, operation, event_key DESC);

CREATE INDEX audit_events_by_time ON public.audit_events USING btree (created_at);

CREATE UNIQUE INDEX audit_events_of_hour ON public.audit_events USING btree (account_id, actor, operation, object_id, result, hour) WHERE (hour IS NOT NULL);

CREATE INDEX call_counts_by_hour ON public.call_counts USING btree (hour);

CREATE INDEX console_sessions_by_person ON public.console_sessions USING btree (person_id, created_at DESC);

CREATE INDEX console_sessions_by_use ON public.console_sessions USING btree (last_used_at);

CREATE INDEX dataset_sizes_by_day ON public.dataset_sizes USING btree (day);

CREATE INDEX datasets_by_account ON public.datasets USING btree (account_id, kind, dataset_key DESC) WHERE (deleted_at IS NULL);

CREATE INDEX datasets_of_account ON public.datasets USING btree (account_id, dataset_key);

CREATE INDEX datasets_retention_due ON public.datasets USING btree (retention_due_at) WHERE ((deleted_at IS NULL) AND (retention_due_at IS NOT NULL));

CREATE INDEX datasets_to_purge ON public.datasets USING btree (dataset_key) WHERE (deleted_at IS NOT NULL);

CREATE INDEX decision_files_by_age ON public.decision_files USING btree (day);

CREATE INDEX decision_files_by_day ON public.decision_files USING btree (project_key, day, last_id);

CREATE INDEX deployments_by_age ON public.deployments USING btree (deployed_at DESC, project_key DESC);

CREATE INDEX deployments_by_generator ON public.deployments USING btree (generator_model_key);

CREATE INDEX deployments_by_ranker ON public.deployments USING btree (ranker_model_key) WHERE (ranker_model_key IS NOT NULL);

CREATE INDEX erasures_by_account ON public.erasures USING btree (account_id);

CREATE INDEX erasures_due ON public.erasures USING btree (due_at) WHERE (user_id IS NOT NULL);

CREATE UNIQUE INDEX erasures_running ON public.erasures USING btree (account_id, user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX events_by_ts ON ONLY public.events USING btree (dataset_key, ts);

CREATE INDEX events_by_user ON ONLY public.events USING btree (dataset_key, user_id, ts DESC, item_id, event_type) INCLUDE (event_value);

CREATE INDEX experiment_variants_by_model ON public.experiment_variants USING btree (model_key) WHERE (model_key IS NOT NULL);

CREATE INDEX experiment_variants_by_ranker ON public.experiment_variants USING btree (ranker_model_key) WHERE (ranker_model_key IS NOT NULL);

CREATE INDEX experiments_by_project ON public.experiments USING btree (project_key, experiment_key DESC);

CREATE INDEX experiments_by_scenario ON public.experiments USING btree (scenario_key) WHERE (scenario_key IS NOT NULL);

CREATE UNIQUE INDEX experiments_running ON public.experiments USING btree (project_key, scenario) WHERE (stopped_at IS NULL);

CREATE INDEX identities_by_subject ON public.identities USING btree (issuer, subject);

CREATE INDEX item_changes_by_dataset ON public.item_changes USING btree (dataset_key, changed_by);

CREATE INDEX item_changes_by_time ON public.item_changes USING btree (changed_at);

CREATE INDEX jobs_by_account ON public.jobs USING btree (account_id, job_key);

CREATE INDEX jobs_by_age ON public.jobs USING btree (finished_at, job_key) WHERE (job_status <> ALL (ARRAY['PENDING'::text, 'RUNNING'::text]));

CREATE INDEX jobs_by_project ON public.jobs USING btree (project_key, job_key DESC);

CREATE INDEX jobs_by_status ON public.jobs USING btree (project_key, job_status, job_key DESC);

CREATE INDEX jobs_by_type ON public.jobs USING btree (project_key, job_type, job_key DESC);

CREATE INDEX jobs_live_by_account ON public.jobs USING btree (account_id, job_type, turn) WHERE (job_status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]));

CREATE INDEX jobs_pending_by_due ON public.jobs USING btree (job_type, due_at) WHERE (job_status = 'PENDING'::text);

CREATE INDEX jobs_pending_by_turn ON public.jobs USING btree (job_type, turn) WHERE (job_status = 'PENDING'::text);

CREATE INDEX jobs_running ON public.jobs USING btree (job_key) WHERE (job_status = 'RUNNING'::text);

CREATE INDEX jobs_with_files ON public.jobs USING btree (finished_at) WHERE ((job_status = 'SUCCEED'::text) AND (((job_result -> 'files'::text) -> 0) IS NOT NULL));

CREATE INDEX models_by_age ON public.models USING btree (created_at, model_key);

CREATE INDEX models_by_object ON public.models USING btree (object_key);

CREATE INDEX models_by_project ON public.models USING btree (project_key, model_key DESC);

CREATE INDEX models_by_snapshot ON public.models USING btree (snapshot_key);

CREATE INDEX outcome_days_by_age ON public.outcome_days USING btree (day);

CREATE INDEX outcome_states_by_age ON public.outcome_states USING btree (COALESCE(attributed_at, due_at));

CREATE INDEX outcome_states_by_due ON public.outcome_states USING btree (due_at);

CREATE INDEX outcomes_by_age ON public.outcomes USING btree (day);

CREATE INDEX past_deployments_by_generator ON public.past_deployments USING btree (generator_model_key);

CREATE INDEX past_deployments_by_project ON public.past_deployments USING btree (project_key, past_key DESC);

CREATE INDEX past_deployments_by_ranker ON public.past_deployments USING btree (ranker_model_key) WHERE (ranker_model_key IS NOT NULL);

CREATE INDEX people_by_email ON public.people USING btree (email);

CREATE INDEX projects_by_account ON public.projects USING btree (account_id, project_key DESC);

CREATE INDEX projects_by_event_dataset ON public.projects USING btree (event_dataset_key);

CREATE INDEX projects_by_first_deployment ON public.projects USING btree (account_id, first_deployed_at, project_key) WHERE (first_deployed_at IS NOT NULL);

CREATE INDEX projects_by_item_dataset ON public.projects USING btree (item_dataset_key);

CREATE INDEX projects_by_user_dataset ON public.projects USING btree (user_dataset_key);

CREATE INDEX scenarios_by_project ON public.scenarios USING btree (project_key, scenario_key DESC);

CREATE INDEX schedules_by_last_job ON public.schedules USING btree (last_job_key) WHERE (last_job_key IS NOT NULL);

CREATE INDEX schedules_by_project ON public.schedules USING btree (project_key, schedule_key DESC);

CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE (NOT paused);

CREATE INDEX schedules_following ON public.schedules USING btree (follow_job_key) WHERE (follow_job_key IS NOT NULL);

CREATE INDEX sorted_batches_by_age ON public.sorted_batches USING btree (sorted_at);

CREATE INDEX webhook_messages_by_webhook ON public.webhook_messages USING btree (webhook_key);

CREATE INDEX webhook_messages_due ON public.webhook_messages USING btree (account_id, due_at);

CREATE INDEX webhooks_by_account ON public.webhooks USING btree (account_id, webhook_key DESC);

CREATE TRIGGER note_first_deployment AFTER INSERT ON public.deployments FOR EACH ROW EXECUTE FUNCTION public.note_first_deployment();

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_default_project_key_fkey FOREIGN KEY (default_project_key) REFERENCES public.projects(project_key) ON DELETE SET NULL;

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_plan_fkey FOREIGN KEY (plan) REFERENCES public.plans(plan);

ALTER TABLE ONLY public.algorithms
    ADD CONSTRAINT algorithms_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);

ALTER TABLE ONLY public.attribution_files
    ADD CONSTRAINT attribution_files_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.call_counts
    ADD CONSTRAINT call_counts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(person_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dataset_counts
    ADD CONSTRAINT dataset_counts_dataset_key_fkey FOREIGN KEY (dataset_key) REFERENCES public.datasets(dataset_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.dataset_sizes
    ADD CONSTRAINT dataset_sizes_dataset_key_fkey FOREIGN KEY (dataset_key) REFERENCES public.datasets(dataset_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.datasets
    ADD CONSTRAINT datasets_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);

ALTER TABLE ONLY public.decision_files
    ADD CONSTRAINT decision_files_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_trials
    ADD CONSTRAINT deployment_trials_generator_model_key_fkey FOREIGN KEY (generator_model_key) REFERENCES public.models(model_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_trials
    ADD CONSTRAINT deployment_trials_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_trials
    ADD CONSTRAINT deployment_trials_ranker_model_key_fkey FOREIGN KEY (ranker_model_key) REFERENCES public.models(model_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_generator_model_key_fkey FOREIGN KEY (generator_model_key) REFERENCES public.models(model_key);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_ranker_model_key_fkey FOREIGN KEY (ranker_model_key) REFERENCES public.models(model_key);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);

ALTER TABLE ONLY public.event_counts
    ADD CONSTRAINT event_counts_dataset_key_fkey FOREIGN KEY (dataset_key) REFERENCES public.datasets(dataset_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.experiment_variants
    ADD CONSTRAINT experiment_variants_experiment_key_fkey FOREIGN KEY (experiment_key) REFERENCES public.experiments(experiment_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.experiment_variants
    ADD CONSTRAINT experiment_variants_model_key_fkey FOREIGN KEY (model_key) REFERENCES public.models(model_key);

ALTER TABLE ONLY public.experiment_variants
    ADD CONSTRAINT experiment_variants_ranker_model_key_fkey FOREIGN KEY (ranker_model_key) REFERENCES public.models(model_key);

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_scenario_key_fkey FOREIGN KEY (scenario_key) REFERENCES public.scenarios(scenario_key);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(person_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_job_key_fkey FOREIGN KEY (job_key) REFERENCES public.jobs(job_key) ON DELETE SET NULL;

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outcome_days
    ADD CONSTRAINT outcome_days_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.outcome_states
    ADD CONSTRAINT outcome_states_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.outcomes
    ADD CONSTRAINT outcomes_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.past_deployments
    ADD CONSTRAINT past_deployments_generator_model_key_fkey FOREIGN KEY (generator_model_key) REFERENCES public.models(model_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.past_deployments
    ADD CONSTRAINT past_deployments_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.past_deployments
    ADD CONSTRAINT past_deployments_ranker_model_key_fkey FOREIGN KEY (ranker_model_key) REFERENCES public.models(model_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_event_dataset_key_fkey FOREIGN KEY (event_dataset_key) REFERENCES public.datasets(dataset_key);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_item_dataset_key_fkey FOREIGN KEY (item_dataset_key) REFERENCES public.datasets(dataset_key);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_user_dataset_key_fkey FOREIGN KEY (user_dataset_key) REFERENCES public.datasets(dataset_key);

ALTER TABLE ONLY public.scenario_versions
    ADD CONSTRAINT scenario_versions_scenario_key_fkey FOREIGN KEY (scenario_key) REFERENCES public.scenarios(scenario_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.scenarios
    ADD CONSTRAINT scenarios_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_follow_job_key_fkey FOREIGN KEY (follow_job_key) REFERENCES public.jobs(job_key) ON DELETE SET NULL;

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_last_job_key_fkey FOREIGN KEY (last_job_key) REFERENCES public.jobs(job_key) ON DELETE SET NULL;

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_project_key_fkey FOREIGN KEY (project_key) REFERENCES public.projects(project_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(person_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.trial_reports
    ADD CONSTRAINT trial_reports_job_key_attempt_fkey FOREIGN KEY (job_key, attempt) REFERENCES public.deployment_trials(job_key, attempt) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_messages
    ADD CONSTRAINT webhook_messages_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES public.webhooks(webhook_key) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(account_id) ON DELETE CASCADE;
