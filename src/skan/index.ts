export { dropOldPostbacks } from './drop-old.ts';
export { NO_APP, UNPROVEN_KEPT_DAYS } from './postback.ts';
export { type AppleKeys, publishedKeys } from './verification/index.ts';
