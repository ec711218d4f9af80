/** Extracts the click ID that an app sends, from the Play referrer, a link or the clipboard. */
import { CLICK_ID_PARAMETER } from '../links/index.ts';

/** Some install paths encode the referrer once or twice more, whole or in part. */
const PARAMETER = String.raw`(?<=^|[^\w-]|%(?:25)?(?:26|3[DdFf]))${CLICK_ID_PARAMETER}(?:=|%(?:25)?3[Dd])`;
const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
const CLICK_IDS = new RegExp(String.raw`${PARAMETER}(${UUID})(?![\w-])`, 'g');
const ANY_VALUE = new RegExp(String.raw`${PARAMETER}[^&\s]`);

/**
 * @returns the last click ID in lower case, since ours is appended to the link's own referrer; `malformed` if the
 * parameter is no UUID; null without the parameter.
 */
export function clickIdInReferrer(referrer: string | null | undefined): string | null {
  if (referrer === null || referrer === undefined) return null;
  const clickId = [...referrer.matchAll(CLICK_IDS)].at(-1)?.[1];
  if (clickId !== undefined) return clickId.toLowerCase();
  return ANY_VALUE.test(referrer) ? 'malformed' : null;
}

const IN_URL = new RegExp(`^[a-z][a-z\\d+.-]*:[^#]*[?&]${CLICK_ID_PARAMETER}=([\\w.-]+)`, 'i');

/** @returns the click ID or clipboard token in a `clickId` field, which may hold a whole URL; null if it is empty. */
export function readClickIdField(field: string | null | undefined): string | null {
  const text = field?.trim() ?? '';
  return IN_URL.exec(text)?.[1] ?? (text === '' ? null : text);
}
