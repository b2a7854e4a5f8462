import type { StoredEntity, StoredEvent } from '../rows/record-reads.ts';

const fieldsJson = (fields: object, attributes: string) =>
  `${JSON.stringify(fields).slice(0, -1)},"attributes":${attributes}}`;

/** Stored records as JSON text, in the form of an upsert. Attributes are not parsed. */
export const userJson = ({ id, attributes }: StoredEntity) => fieldsJson({ user_id: id }, attributes);
export const itemJson = ({ id, attributes }: StoredEntity) => fieldsJson({ item_id: id }, attributes);
export const eventJson = ({
  event_id,
  user_id,
  item_id,
  ts,
  event_type,
  event_value,
  recommendation_id,
  attributes,
}: StoredEvent) =>
  fieldsJson(
    {
      event_id,
      user_id,
      item_id,
      ts,
      event_type,
      event_value,
      ...(recommendation_id !== null && { recommendation_id }),
    },
    attributes ?? '{}',
  );
