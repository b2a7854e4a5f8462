import { limits, type Response } from '@tastegraph/contract';
import { nearestName } from '../../lib/nearest-name.ts';
import { inDigits, inPercent, inQuotes, inWords } from '../../lib/wording.ts';
import type { G1Parameters } from './estimate.ts';
import type { Survey } from './survey.ts';

type Finding = Response<'checkTraining'>['findings'][number];

/** Below it nothing occurs together, and there is nothing to fit. */
const fewest = 2;
/** A judgement, not a measurement: below these a model is taken to know little but what is popular. */
const thinTargetEvents = 1000;
const thinTargetUsers = 50;
/** More than the odd item that was withdrawn. */
const unrecordedShare = 0.1;
/** What is learned is what occurs together in a user's events: most users should have something to learn from. */
const singleShare = 0.5;
/** A target so rare that the model is mostly learned from the other types. */
const rareTargetShare = 0.01;
/** A moment of the years 2001 to 5138 in seconds; in milliseconds it would be in the first weeks of 1970 up to 1973. */
const secondsRange = [1e9, 1e11] as const;
/** An attribute most of whose values are one record's alone is a name or an id; with fewer values it may be chance. */
const unsharedShare = 0.9;
const unsharedValues = 20;

const severities: readonly Finding['severity'][] = ['ERROR', 'WARNING', 'INFO'];

/** What is wrong or thin in the data, gravest first. */
export function findProblems(survey: Survey, parameters: G1Parameters): Finding[] {
  const found =
    survey.events === 0
      ? [noEvents(survey), noItemRecords(survey)]
      : [
          noTarget(survey) ?? tooLittle(survey) ?? thin(survey),
          noItemRecords(survey) ?? itemsWithoutRecord(survey),
          usersWithOneEvent(survey),
          times(survey),
          manyTypes(survey) ?? unknownWeights(survey, parameters),
          rareTarget(survey),
        ];
  const all = [...found, unsharedValuesOf(survey, 'item'), unsharedValuesOf(survey, 'user')];
  return all
    .filter((finding) => finding !== undefined)
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
}

function noEvents({ targetType }: Survey): Finding {
  const message = `The event dataset is empty. Send events with /upsert-dataset-events, those to be predicted with the event_type ${JSON.stringify(targetType)}.`;
  return { severity: 'ERROR', code: 'NO_EVENTS', message };
}

function noTarget({ targetEvents, targetType, events, eventTypes, ...survey }: Survey): Finding | undefined {
  if (targetEvents > 1 || (targetEvents === 1 && !survey.sampled)) return undefined;
  const target = JSON.stringify(targetType);
  const names = eventTypes.map(({ event_type }) => event_type).filter((name) => name !== targetType);
  if (targetEvents === 0 && survey.isTargetCertain) {
    const nearest = nearestName(targetType, names);
    const meant = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
    return {
      severity: 'ERROR',
      code: 'NO_TARGET_EVENTS',
      message: `None of the ${inWords(events, 'event')} is of the project's target_event_type ${target}; there are ${inQuotes(names)}.${meant} Send events of that type, or create a project whose target_event_type is one that is there.`,
    };
  }
  const known = targetEvents === 0 ? 'it is not known whether there are any' : 'there are some, but few';
  return {
    severity: 'WARNING',
    code: 'TARGET_EVENTS_NOT_SEEN',
    message: `None of the ${inWords(survey.eventsSeen, 'event')} that were looked at, of ${inDigits(events)} in all, is of the project's target_event_type ${target}: ${known}. The types seen are ${inQuotes(names)}. Check that the target is spelled as in the events.`,
  };
}

function tooLittle({ targetUsers, targetItems, targetType, sampled }: Survey): Finding | undefined {
  // A sample does not show how few there are; thin() says what it shows.
  if (sampled || (targetUsers >= fewest && targetItems >= fewest)) return undefined;
  return {
    severity: 'ERROR',
    code: 'TOO_LITTLE_DATA',
    message: `Events of type ${JSON.stringify(targetType)} are of ${inWords(targetUsers, 'user')} and ${inWords(targetItems, 'item')}: a training needs at least ${fewest} of each, and learns something from about ${thinTargetUsers} users on. Send more events.`,
  };
}

function thin({ targetUsers, targetEvents, targetType, sampled }: Survey): Finding | undefined {
  if (targetEvents >= thinTargetEvents && targetUsers >= thinTargetUsers) return undefined;
  return {
    severity: 'WARNING',
    code: 'THIN_DATA',
    message: `There are ${inWords(targetEvents, 'event', sampled)} of type ${JSON.stringify(targetType)}, of ${inWords(targetUsers, 'user', sampled)}. A model of fewer than ${inWords(thinTargetEvents, 'event')} or ${inWords(thinTargetUsers, 'user')} knows little more than what is popular: train now to try things out, and again when there is more.`,
  };
}

function noItemRecords({ itemRecords }: Survey): Finding | undefined {
  if (itemRecords > 0) return undefined;
  return {
    severity: 'ERROR',
    code: 'NO_ITEM_RECORDS',
    message:
      'The item dataset is empty, and only items that have a record are recommended: there would be nothing to recommend. Send the items with /upsert-dataset-items; an item_id alone is enough.',
  };
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
    ? `None of the ${inWords(items, 'item', sampled)} in events is among the ${inWords(itemRecords, 'item record')}`
    : `Of ${inWords(items, 'item', sampled)} in events, ${inDigits(without, sampled)} (${inPercent(without / items)}) have no record`;
  const advice = all
    ? 'Check that item_id is written alike in events and items, byte for byte.'
    : 'Send the missing ones with /upsert-dataset-items, unless they are meant to be gone.';
  return {
    severity: all ? 'ERROR' : 'WARNING',
    code: 'ITEMS_WITHOUT_RECORD',
    message: `${which}: items without a record are learned from and never recommended. ${advice}`,
  };
}

function usersWithOneEvent({ users, usersWithOneEvent: single, sampled }: Survey): Finding | undefined {
  if (single <= users * singleShare) return undefined;
  return {
    severity: 'WARNING',
    code: 'USERS_WITH_ONE_EVENT',
    message: `${inPercent(single / users)} of the users (${inDigits(single, sampled)} of ${inWords(users, 'user', sampled)}) have a single event, from which nothing about what goes together can be learned. Check that user_id stays the same from visit to visit; sending events of other types too, such as views, helps as well.`,
  };
}

function times({ first_ts, last_ts, events }: Survey): Finding | undefined {
  if (last_ts === null || first_ts === null) return undefined;
  const [from, to] = secondsRange;
  if (last_ts >= from && last_ts < to) {
    const [read, meant] = [last_ts, last_ts * 1000].map((ts) => new Date(ts).toISOString().slice(0, 10));
    return {
      severity: 'WARNING',
      code: 'TIMES_IN_SECONDS',
      message: `The newest event has ts ${last_ts}, which is ${read}: ts is in milliseconds, and this looks like seconds (${meant}). Send the events again with ts times 1000; the same event_id replaces the event.`,
    };
  }
  if (first_ts !== last_ts || events < fewest) return undefined;
  return {
    severity: 'INFO',
    code: 'ALL_AT_ONE_TIME',
    message: `All ${inWords(events, 'event')} have the same ts, ${first_ts}: what follows what is not learned, and quality is measured on events drawn at random instead of the latest. Send the true times if they are known.`,
  };
}

function manyTypes({ types, eventTypes, sampled }: Survey): Finding | undefined {
  if (types <= limits.checkedEventTypes) return undefined;
  const examples = inQuotes(eventTypes.slice(0, 3).map(({ event_type }) => event_type));
  return {
    severity: 'WARNING',
    code: 'MANY_EVENT_TYPES',
    message: `There are ${sampled ? 'at least ' : ''}${inWords(types, 'event type')}, such as ${examples}. A type is a kind of action, like "view" or "purchase", and each is weighed by itself: put what differs from event to event into the event's attributes.`,
  };
}

function unknownWeights(
  { eventTypes, sampled }: Survey,
  { event_weights }: G1Parameters,
): Finding | undefined {
  // A sample may have missed a rare one.
  if (sampled) return undefined;
  const names = new Set(eventTypes.map(({ event_type }) => event_type));
  const unknown = Object.keys(event_weights ?? {}).filter((name) => !names.has(name));
  if (unknown.length === 0) return undefined;
  return {
    severity: 'WARNING',
    code: 'UNKNOWN_EVENT_WEIGHTS',
    message: `The algorithm's event_weights name ${inQuotes(unknown)}, of which there are no events; there are ${inQuotes([...names])}. Correct the names with /update-algorithm.`,
  };
}

function rareTarget({ targetEvents, events, targetType, eventTypes, sampled }: Survey): Finding | undefined {
  const other = eventTypes.find(({ is_target }) => !is_target);
  if (targetEvents <= 1 || targetEvents >= events * rareTargetShare || !other) return undefined;
  return {
    severity: 'INFO',
    code: 'RARE_TARGET_EVENTS',
    message: `Of ${inWords(events, 'event')}, ${inDigits(targetEvents, sampled)} (${inPercent(targetEvents / events)}) are of type ${JSON.stringify(targetType)}, and ${inPercent(other.count / events)} are of type ${JSON.stringify(other.event_type)}: most is learned from the other types, with weights that the training chooses. If one of them says nothing about taste, give it the weight 0 in the algorithm's event_weights.`,
  };
}

function unsharedValuesOf({ attributes }: Survey, kind: 'user' | 'item'): Finding | undefined {
  const unshared = attributes.filter(
    (each) =>
      each.kind === kind && each.values >= unsharedValues && each.unshared >= each.values * unsharedShare,
  );
  const [first] = unshared;
  if (!first) return undefined;
  const names = inQuotes(unshared.map(({ name }) => name));
  const text = kind === 'item' ? ' Free text is better declared TEXT in attribute_schema.' : '';
  return {
    severity: 'INFO',
    code: 'UNSHARED_ATTRIBUTE_VALUES',
    message: `Hardly any two ${kind}s share a value of the ${kind} attribute${unshared.length === 1 ? '' : 's'} ${names} (${JSON.stringify(first.name)}: ${inDigits(first.unshared)} of ${inWords(first.values, 'value')} are of one ${kind} alone, among those looked at). Nothing is learned from a value that nobody shares; groups, such as a category or a range, would help.${text}`,
  };
}
