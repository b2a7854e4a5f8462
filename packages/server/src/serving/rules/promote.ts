/**
 * How many of the first `position` items must be promoted ones. It grows by one every 1 / share positions, so promoted items
 * are spread over the list.
 */
export const promotedUpTo = (position: number, share: number) => Math.round(position * share);
