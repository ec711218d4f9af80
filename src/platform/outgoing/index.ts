/** HTTP POSTs to addresses that strangers name, such as the receivers of webhooks. */
export type { Answer } from './exchange.ts';
export { OutgoingError } from './failure.ts';
export { createOutgoing, type Outgoing, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts';
export { isPublic, parseNetworks, refusalOf } from './target.ts';
