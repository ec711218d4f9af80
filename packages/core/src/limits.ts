/** What the service accepts. A test compares these numbers with those of the service. */
export const MAX_BATCH_EVENTS = 500;
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
export const MAX_BATCH_FIELDS = 50_000;
export const MAX_BATCH_COMMAS = 250_000;
export const MAX_PROPERTIES_BYTES = 32 * 1024;
export const MAX_DEPTH = 64;
/** Of names and of the IDs of users and transactions, in code points. */
export const MAX_CHARACTERS = 255;
export const MAX_URL_CHARACTERS = 2_048;
/** Of the address that opened the app. */
export const MAX_OPENED_URL_CHARACTERS = 8_192;
export const MAX_PATH_CHARACTERS = 2_048;
export const MAX_LINK_PARAMS_BYTES = 16 * 1024;
/** Of what networks on the phone tell. */
export const MAX_REFERRER_CHARACTERS = 16_384;
export const MAX_APPLE_TOKEN_CHARACTERS = 4_096;
export const MAX_META_REFERRER_CHARACTERS = 8_192;
/** Of a text about the device, and of its sizes. */
export const MAX_DEVICE_CHARACTERS = 1_024;
export const MAX_DEVICE_SIZE = 1_000_000;
/** Of the URL with the landing page's token. */
export const MAX_TOKEN_CHARACTERS = 4_096;
/** Of the card of a link. */
export const MAX_DESCRIPTION_CHARACTERS = 1_000;
export const AMOUNT = /^-?[0-9]{1,12}(\.[0-9]{1,4})?$/;
export const CURRENCY = /^[A-Z]{3}$/;
