import Type from 'typebox';
import { type FailureCode, failureCodes } from './errors.ts';
import { MapOf, Named, NamedObject, Natural } from './fields.ts';

/** The paths of Segment's HTTP Tracking API. A batch has messages of any type; some clients send it to `import`. */
export const segmentPaths = {
  track: '/v1/track',
  identify: '/v1/identify',
  page: '/v1/page',
  screen: '/v1/screen',
  group: '/v1/group',
  alias: '/v1/alias',
  batch: '/v1/batch',
  import: '/v1/import',
} as const;

export type SegmentCall = keyof typeof segmentPaths;

const anyFields = { additionalProperties: true };

const messageFields = {
  messageId: Type.Optional(Type.String({ description: 'The ID of the message. A retry has the same one.' })),
  userId: Type.Optional(Type.String({ description: 'Your ID for the user.' })),
  anonymousId: Type.Optional(Type.String({ description: 'The ID of a user who is not signed in.' })),
  timestamp: Type.Optional(Type.String({ description: 'When it happened, in ISO 8601.' })),
  sentAt: Type.Optional(
    Type.String({ description: 'When it was sent, by the same clock as `timestamp`, in ISO 8601.' }),
  ),
};
const Properties = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'The properties of the event, such as `product_id` or `products`.',
});
const Traits = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'The traits of the user.',
});

export const SegmentTrack = Named(
  'SegmentTrack',
  Type.Object(
    {
      ...messageFields,
      event: Type.String({ description: 'The name of the event, which becomes its type.' }),
      properties: Type.Optional(Properties),
    },
    anyFields,
  ),
);

export const SegmentIdentify = Named(
  'SegmentIdentify',
  Type.Object({ ...messageFields, traits: Type.Optional(Traits) }, anyFields),
);

export const SegmentMessage = Named('SegmentMessage', Type.Object(messageFields, anyFields));

export const SegmentBatch = Named(
  'SegmentBatch',
  Type.Object(
    {
      batch: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
        description: 'The messages, each with its `type`.',
      }),
      sentAt: Type.Optional(Type.String({ description: 'When the batch was sent, in ISO 8601.' })),
    },
    anyFields,
  ),
);

const Failure = NamedObject('SegmentFailure', {
  index: Natural('The index of the message in the batch, starting at 0.'),
  id: Type.Optional(Type.String({ description: 'The ID of the record that was not written.' })),
  code: Type.Enum(Object.keys(failureCodes) as FailureCode[], {
    description: 'Why the record failed. [Errors](errors.md#records-that-fail) explains each code.',
  }),
  message: Type.String({ description: 'What is wrong, and with which field.' }),
});

export const SegmentResponse = NamedObject('SegmentResponse', {
  success: Type.Literal(true, {
    description: 'Always true: a client must not send again what can never be written.',
  }),
  written: Natural('The number of events and users that were written.'),
  ignored: MapOf(Type.Integer(), {
    description:
      'The number of messages that were accepted and ignored: by type, or `track_without_item` and `identify_without_dataset`.',
  }),
  failed_count: Natural('The number of records that were not written.'),
  failures: Type.Array(Failure, { description: 'Why records failed, for the first 100 of them.' }),
});
