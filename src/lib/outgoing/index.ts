/** HTTP requests to untrusted URLs. */
export { readCertificate, type ServedCertificate } from './certificate.ts';
export { CONNECTION_REFUSED, OutgoingError, type OutgoingResponse } from './failure.ts';
export {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
} from './outgoing.ts';
export { pauseOf } from './retry-after.ts';
export { isPublic, NOT_PUBLIC, networksOf, parseNetworks, refusalOf } from './target.ts';
