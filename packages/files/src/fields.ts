export type Kind = 'users' | 'items' | 'events';
export const kinds = ['users', 'items', 'events'] as const satisfies readonly Kind[];

interface Field {
  readonly name: string;
  /** Common column names for the field, most likely first; lower case, letters and digits only. */
  readonly aliases: readonly string[];
}

const userId = [
  'userid',
  'user',
  'uid',
  'customerid',
  'customer',
  'visitorid',
  'memberid',
  'accountid',
  'profileid',
  'reviewerid',
];
const itemId = [
  'itemid',
  'item',
  'iid',
  'productid',
  'product',
  'movieid',
  'movie',
  'filmid',
  'trackid',
  'songid',
  'artistid',
  'articleid',
  'contentid',
  'videoid',
  'bookid',
  'isbn',
  'asin',
  'sku',
  'gameid',
  'businessid',
  'venueid',
  'locationid',
];

/** The fields of a record, without its attributes. */
export const fieldsOf: Readonly<Record<Kind, readonly Field[]>> = {
  users: [{ name: 'user_id', aliases: [...userId, 'id'] }],
  items: [{ name: 'item_id', aliases: [...itemId, 'id'] }],
  events: [
    { name: 'user_id', aliases: userId },
    { name: 'item_id', aliases: itemId },
    {
      name: 'ts',
      aliases: [
        'ts',
        'timestamp',
        'time',
        'datetime',
        'date',
        'eventtime',
        'eventtimestamp',
        'unixtime',
        'timems',
        'createdat',
        'created',
        'createdts',
        'occurredat',
        'unixreviewtime',
        'reviewtime',
        'checkintime',
      ],
    },
    {
      name: 'event_type',
      aliases: [
        'eventtype',
        'type',
        'event',
        'eventname',
        'action',
        'behavior',
        'behaviour',
        'behaviortype',
        'interaction',
      ],
    },
    {
      name: 'event_value',
      aliases: [
        'eventvalue',
        'value',
        'rating',
        'stars',
        'score',
        'weight',
        'overall',
        'quantity',
        'count',
        'playcount',
      ],
    },
    { name: 'event_id', aliases: ['eventid', 'id', 'interactionid', 'uuid'] },
    { name: 'recommendation_id', aliases: ['recommendationid'] },
  ],
};

/** A column that contains all attributes as one object. */
export const attributesColumn = 'attributes';

const optionalFields: ReadonlySet<string> = new Set(['event_id', 'event_value', 'recommendation_id']);
export const isRequired = (field: string) => !optionalFields.has(field);
