/** HTTP POSTs to addresses that strangers name, such as the receivers of webhooks. */
export type { Answer } from './exchange.ts';
export { OutgoingError, type OutgoingReason } from './failure.ts';
export { createOutgoing, type Outgoing, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts';
export { isPublic, type Networks, parseNetworks, refusalOf } from './target.ts';
