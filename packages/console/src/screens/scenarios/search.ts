/** What the address has after the question mark: which scenario is open. */
export interface ScenariosSearch {
  readonly scenario?: string | undefined;
  readonly isNew?: boolean | undefined;
}
