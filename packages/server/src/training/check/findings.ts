import type { Algorithm, DataNeeds } from '@tastegraph/algorithms';
import { limits, type Response } from '@tastegraph/contract';
import { latestTs } from '../../datasets/event-times.ts';
import { formatCount, formatNumber, formatPercent, quoteNames } from '../../kernel/lib/format.ts';
import { nearestName } from '../../kernel/lib/nearest-name.ts';
import { maxFuture } from '../rows/survey.ts';
import { maxReadSeconds, readSecondsPerEvent } from '../rows/training-rows.ts';
import { type Survey, sizeOf } from './survey.ts';

type Finding = Response<'checkTraining'>['findings'][number];

/** A few items without a record are normal: they were withdrawn. */
const unrecordedShare = 0.1;
/** Training learns which items co-occur in a user's events, so most users should have several. */
const singleShare = 0.5;
/** Below this share of target events, the model learns mostly from the other types. */
const rareTargetShare = 0.01;
/** In seconds these are the years 2001 to 5138; in milliseconds, January 1970 to 1973. */
const secondsRange = [1e9, 1e11] as const;
/** An attribute whose values are mostly unique is a name or an ID. With fewer values it may be chance. */
const unsharedShare = 0.9;
const unsharedValues = 20;

const severities: readonly Finding['severity'][] = ['ERROR', 'WARNING', 'INFO'];

const findingOf =
  (severity: Finding['severity']) =>
  (code: Finding['code'], message: string): Finding => ({ severity, code, message });
const failure = findingOf('ERROR');
const warning = findingOf('WARNING');
const info = findingOf('INFO');

/** Problems of the data, most severe first. */
export function findProblems(survey: Survey, algorithm: Algorithm, parameters: object): Finding[] {
  const all = [
    ...findEventProblems(survey, algorithm, parameters),
    tooLarge(survey, algorithm, parameters),
    slowToRead(survey),
    inFuture(survey),
    unsharedValuesOf(survey, 'item'),
    unsharedValuesOf(survey, 'user'),
    notChecked(survey),
  ];
  return all
    .filter((finding) => finding !== undefined)
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
}

function tooLarge(survey: Survey, algorithm: Algorithm, parameters: object): Finding | undefined {
  const refusal = algorithm.refuse(sizeOf(survey), parameters);
  if (refusal !== undefined) return failure('MODEL_TOO_LARGE', refusal);
  const doubt = algorithm.doubt(sizeOf(survey), parameters);
  return doubt === undefined ? undefined : warning('TOO_MANY_EVENTS', doubt);
}

function slowToRead({ events }: Survey): Finding | undefined {
  const seconds = readSecondsPerEvent * events;
  if (seconds <= maxReadSeconds) return undefined;
  const inMinutes = (value: number) => formatCount(Math.round(value / 60), 'minute');
  return warning(
    'TOO_MANY_EVENTS',
    `Reading ${formatCount(events, 'event')} takes about ${inMinutes(seconds)} through one connection, and each connection may read for ${inMinutes(maxReadSeconds)}: that is enough for about ${formatCount(Math.floor(maxReadSeconds / readSecondsPerEvent), 'event')}. Delete old events, or ask the operator for a worker that reads through more connections (TRAINING_READERS).`,
  );
}

function findEventProblems(
  survey: Survey,
  algorithm: Algorithm,
  parameters: object,
): (Finding | undefined)[] {
  const { needs } = algorithm;
  if (survey.events === 0) return [noEvents(survey), noItemRecords(survey)];
  if (survey.notChecked.includes('events')) return [noItemRecords(survey), times(survey)];
  return [
    noTarget(survey) ?? tooLittle(survey, needs) ?? thin(survey, needs),
    noItemRecords(survey) ?? itemsWithoutRecord(survey),
    needs.histories ? usersWithOneEvent(survey) : undefined,
    times(survey),
    manyTypes(survey) ?? unknownTypes(survey, algorithm.namedEventTypes(parameters)),
    rareTarget(survey),
  ];
}

function notChecked({ notChecked: parts }: Survey): Finding | undefined {
  if (parts.length === 0) return undefined;
  const names = parts.map((part) => part.replace('_', ' ')).join(', ');
  return info(
    'PARTS_NOT_CHECKED',
    `These parts were not checked because reading them took too long: ${names}. Check again when the database is less busy. Training reads them in any case.`,
  );
}

function noEvents({ targetType }: Survey): Finding {
  return failure(
    'NO_EVENTS',
    `The event dataset is empty. Send events with /upsert-dataset-events. The events to predict need the event_type ${JSON.stringify(targetType)}.`,
  );
}

function noTarget({ targetEvents, targetType, events, eventTypes, ...survey }: Survey): Finding | undefined {
  if (targetEvents > 1 || (targetEvents === 1 && !survey.sampled)) return undefined;
  const target = JSON.stringify(targetType);
  const names = eventTypes.map(({ event_type }) => event_type).filter((name) => name !== targetType);
  if (targetEvents === 0 && survey.isTargetCertain) {
    const nearest = nearestName(targetType, names);
    const suggestion = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
    return failure(
      'NO_TARGET_EVENTS',
      `None of the ${formatCount(events, 'event')} has the project's target_event_type ${target}; the event types are ${quoteNames(names)}.${suggestion} Send events of type ${target}, or create a project whose target_event_type is one of the existing types.`,
    );
  }
  const known = targetEvents === 0 ? 'the dataset may have none' : 'the dataset has only a few';
  return warning(
    'TARGET_EVENTS_NOT_SEEN',
    `None of the ${formatCount(survey.eventsSeen, 'event')} sampled from ${formatNumber(events)} has the project's target_event_type ${target}: ${known}. The sampled event types are ${quoteNames(names)}. Check that target_event_type is spelled as in the events.`,
  );
}

function tooLittle(
  { targetUsers, targetItems, targetType, sampled }: Survey,
  needs: DataNeeds,
): Finding | undefined {
  // Too few sampled users or items prove nothing; thin() reports what the sample shows.
  if (sampled || (targetUsers >= needs.targetUsers && targetItems >= needs.targetItems)) return undefined;
  return failure(
    'TOO_LITTLE_DATA',
    `Only ${formatCount(targetUsers, 'user')} and ${formatCount(targetItems, 'item')} have ${JSON.stringify(targetType)} events. Training needs at least ${formatCount(needs.targetUsers, 'user')} and ${formatCount(needs.targetItems, 'item')}. Send more events.`,
  );
}

function thin(
  { targetUsers, targetEvents, targetType, sampled }: Survey,
  { thin: bounds }: DataNeeds,
): Finding | undefined {
  if (targetEvents >= bounds.targetEvents && targetUsers >= bounds.targetUsers) return undefined;
  return warning(
    'THIN_DATA',
    `There are only ${formatCount(targetEvents, 'event', sampled)} of type ${JSON.stringify(targetType)}, from ${formatCount(targetUsers, 'user', sampled)}. With fewer than ${formatCount(bounds.targetEvents, 'event')} or ${formatCount(bounds.targetUsers, 'user')}, a model ${bounds.consequence}. Train now to try things out, and again when there is more data.`,
  );
}

function noItemRecords({ itemRecords }: Survey): Finding | undefined {
  if (itemRecords > 0) return undefined;
  return failure(
    'NO_ITEM_RECORDS',
    'The item dataset is empty. Only items with a record are recommended, so there would be nothing to recommend. Send the items with /upsert-dataset-items; an item_id alone is enough.',
  );
}

function itemsWithoutRecord({
  items,
  itemsWithoutRecord: without,
  itemRecords,
  sampled,
}: Survey): Finding | undefined {
  if (without <= items * unrecordedShare) return undefined;
  const all = without === items;
  const which = all
    ? `None of the ${formatCount(items, 'item', sampled)} in events is among the ${formatCount(itemRecords, 'item record')}`
    : `Of ${formatCount(items, 'item', sampled)} in events, ${formatNumber(without, sampled)} (${formatPercent(without / items)}) have no record`;
  const advice = all
    ? 'Check that item_id is identical in events and items, byte for byte.'
    : 'Send the missing items with /upsert-dataset-items, unless you removed them on purpose.';
  return {
    severity: all ? 'ERROR' : 'WARNING',
    code: 'ITEMS_WITHOUT_RECORD',
    message: `${which}. Training learns from the events with these items, but items without a record are never recommended. ${advice}`,
  };
}

function usersWithOneEvent({ users, usersWithOneEvent: single, sampled }: Survey): Finding | undefined {
  if (single <= users * singleShare) return undefined;
  return warning(
    'USERS_WITH_ONE_EVENT',
    `${formatPercent(single / users)} of the users (${formatNumber(single, sampled)} of ${formatCount(users, 'user', sampled)}) have only one event. Training learns which items go together from users with several. Check that user_id stays the same between visits. Sending events of other types, such as views, also helps.`,
  );
}

function times({ first_ts, last_ts, events }: Survey): Finding | undefined {
  if (last_ts === null || first_ts === null) return undefined;
  const [from, to] = secondsRange;
  if (last_ts >= from && last_ts < to) {
    const [read, meant] = [last_ts, last_ts * 1000].map((ts) => new Date(ts).toISOString().slice(0, 10));
    return warning(
      'TIMES_IN_SECONDS',
      `The newest event has ts ${last_ts}, which is ${read}. ts is in milliseconds, and this value looks like seconds (${meant}). Multiply ts by 1000 and send the events again; an event with the same event_id is replaced.`,
    );
  }
  if (first_ts !== last_ts || events < 2) return undefined;
  return info(
    'ALL_AT_ONE_TIME',
    `All ${formatCount(events, 'event')} have the same ts, ${first_ts}. The order of events cannot be learned, and the metrics are measured on random events instead of the latest. Send the true times if you know them.`,
  );
}

function inFuture({ future_events: count }: Survey): Finding | undefined {
  if (count === 0) return undefined;
  const are = `${count === maxFuture ? 'At least ' : ''}${formatCount(count, 'event')} ${count === 1 ? 'is' : 'are'}`;
  return warning(
    'TIMES_IN_FUTURE',
    `${are} more than 24 hours ahead of now. Nothing reads them: they neither train models nor change recommendations. Send them again with the right ts, in milliseconds; an event with the same event_id is replaced. To delete them instead, call /delete-dataset-events-before-ts with start_ts ${latestTs() + 1} and ts ${limits.tsMax}.`,
  );
}

function manyTypes({ types, eventTypes, sampled }: Survey): Finding | undefined {
  if (types <= limits.checkedEventTypes) return undefined;
  const examples = quoteNames(eventTypes.slice(0, 3).map(({ event_type }) => event_type));
  return warning(
    'MANY_EVENT_TYPES',
    `There are ${sampled ? 'at least ' : ''}${formatCount(types, 'event type')}, such as ${examples}. A type is a kind of action, like "view" or "purchase", and each type gets its own weight. Put details that differ from event to event, such as a page or a campaign, into the attributes of the event.`,
  );
}

function unknownTypes({ eventTypes, sampled }: Survey, named: readonly string[]): Finding | undefined {
  // A sample may have missed a rare type.
  if (sampled) return undefined;
  const names = new Set(eventTypes.map(({ event_type }) => event_type));
  const unknown = named.filter((name) => !names.has(name));
  if (unknown.length === 0) return undefined;
  return warning(
    'UNKNOWN_EVENT_WEIGHTS',
    `The algorithm's parameters contain ${quoteNames(unknown)}, but no event has such a type; the event types are ${quoteNames([...names])}. Correct the names with /update-algorithm.`,
  );
}

function rareTarget({ targetEvents, events, targetType, eventTypes, sampled }: Survey): Finding | undefined {
  const other = eventTypes.find(({ is_target }) => !is_target);
  if (targetEvents <= 1 || targetEvents >= events * rareTargetShare || !other) return undefined;
  return info(
    'RARE_TARGET_EVENTS',
    `Of ${formatCount(events, 'event')}, ${formatNumber(targetEvents, sampled)} (${formatPercent(targetEvents / events)}) are of type ${JSON.stringify(targetType)}, and ${formatPercent(other.count / events)} are of type ${JSON.stringify(other.event_type)}. The model learns mostly from the other types, with weights that training chooses. If one of them says nothing about taste, set its weight to 0 in the algorithm's event_weights.`,
  );
}

function unsharedValuesOf({ attributes }: Survey, kind: 'user' | 'item'): Finding | undefined {
  const unshared = attributes.filter(
    (each) =>
      each.kind === kind && each.values >= unsharedValues && each.unshared >= each.values * unsharedShare,
  );
  const [first] = unshared;
  if (!first) return undefined;
  const names = quoteNames(unshared.map(({ name }) => name));
  const text = kind === 'item' ? ' Declare free text as TEXT in attribute_schema.' : '';
  return info(
    'UNSHARED_ATTRIBUTE_VALUES',
    `Almost no two ${kind}s share a value of the ${kind} attribute${unshared.length === 1 ? '' : 's'} ${names} (${JSON.stringify(first.name)}: ${formatNumber(first.unshared)} of ${formatCount(first.values, 'value')} occur in a single ${kind}, among the records checked). Training ignores such values. There is nothing to do if they are names or IDs. For something to learn from, add broader values, such as a category or a range.${text}`,
  );
}
