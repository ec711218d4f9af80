export { placeOf } from './host.ts';
export { judgeCertificate } from './look/certificate.ts';
export { checksOf, listHostRows } from './queries.ts';
export { createHostWatch } from './watch.ts';
