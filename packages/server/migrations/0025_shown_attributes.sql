-- The item attributes that people see as title and picture of an item. A version that does not know them runs beside this one: it
-- leaves them as they are.

ALTER TABLE projects
  ADD COLUMN title_attribute text COLLATE "C",
  ADD COLUMN picture_attribute text COLLATE "C";
