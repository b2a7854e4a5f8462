-- Who created a key, so that an owner sees which keys a person leaves behind. Null: the operator, or a version without this column, which can
-- run beside this one.

ALTER TABLE api_keys ADD COLUMN created_by text COLLATE "C";
