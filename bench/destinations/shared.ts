/** What the processes of the bench agree on. */

/** Events in a call to the service: event `n` is in call `n / BATCH`. */
export const BATCH = 500;
/** Names of the networks that take everything, as their addresses have them. */
export const LIVING = ['first', 'second'] as const;
/** The name of one that never answers. */
export const HANGING = 'hangs';
