/** HTTP POSTs to untrusted URLs. */
export type { OutgoingResponse } from './exchange.ts';
export { OutgoingError } from './failure.ts';
export { createOutgoing, type Outgoing, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts';
export { isPublic, NOT_PUBLIC, parseNetworks, refusalOf } from './target.ts';
