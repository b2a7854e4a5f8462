-- Write keys: API keys that are sent as they are, without a token, and only write to the datasets that they name. Their secret is hashed in
-- another way than that of other keys, so that a version without these columns cannot exchange one for a token.

ALTER TABLE api_keys ADD COLUMN event_dataset_id text COLLATE "C";
ALTER TABLE api_keys ADD COLUMN user_dataset_id text COLLATE "C";
ALTER TABLE api_keys ADD CONSTRAINT api_keys_write_events CHECK (user_dataset_id IS NULL OR event_dataset_id IS NOT NULL);
