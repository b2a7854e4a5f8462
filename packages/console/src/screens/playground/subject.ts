import type { VariantsSearch } from './variants.ts';

/** What the address has after the question mark. */
export interface PlaygroundSearch extends VariantsSearch {
  readonly user?: string | undefined;
  readonly items?: readonly string[] | undefined;
}

/** For whom items are recommended: a user, or a visitor of whom only a few items are known. */
export type Subject =
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'visitor'; readonly items: readonly string[] };

/** The address has the subject, so that a link leads a colleague to the same recommendations. */
export function subjectOf({ user, items }: PlaygroundSearch): Subject | undefined {
  if (items !== undefined) return { kind: 'visitor', items };
  return user === undefined ? undefined : { kind: 'user', userId: user };
}

export function searchOf(subject: Subject): PlaygroundSearch {
  // Undefined removes what the address had before.
  return subject.kind === 'user'
    ? { user: subject.userId, items: undefined }
    : { items: subject.items, user: undefined };
}
