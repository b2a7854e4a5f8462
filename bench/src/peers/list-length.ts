/** Of the lists that are compared. */
export const listLength = 20;
