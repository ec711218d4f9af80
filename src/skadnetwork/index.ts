export { NO_APP, UNPROVEN_KEPT_DAYS } from './postback.ts';
export { createTrim, dropOldPostbacks } from './unproven-postbacks.ts';
export { type AppleKeys, publishedKeys } from './verification/index.ts';
