-- Event types by which users reject an item. A version that does not know them runs beside this one: its projects have none,
-- and its trainings treat such events as those of any other type.

ALTER TABLE projects ADD COLUMN negative_event_types text[] COLLATE "C" NOT NULL DEFAULT '{}';
