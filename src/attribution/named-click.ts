/** How an app names the click that brought it: in Play's referrer, or in what it read from an address or the clipboard. */
import { CLICK_ID_PARAMETER } from '../links/index.ts';

/** Some paths deliver the referrer encoded once or twice more, whole or in part. */
const NAMED = String.raw`(?<=^|[^\w-]|%(?:25)?(?:26|3[DdFf]))${CLICK_ID_PARAMETER}(?:=|%(?:25)?3[Dd])`;
const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
const CLICK_IDS = new RegExp(String.raw`${NAMED}(${UUID})(?![\w-])`, 'g');
const NO_CLICK_ID = new RegExp(String.raw`${NAMED}[^&\s]`);

/**
 * The last click ID that Play's referrer carries, in lower case: ours is appended to what was there. Null when there is
 * none; `malformed` for what stands in its place.
 */
export function clickIdInReferrer(referrer: string | null | undefined): string | null {
  if (referrer === null || referrer === undefined) return null;
  const clickId = [...referrer.matchAll(CLICK_IDS)].at(-1)?.[1];
  if (clickId !== undefined) return clickId.toLowerCase();
  return NO_CLICK_ID.test(referrer) ? 'malformed' : null;
}

const IN_ADDRESS = new RegExp(`^[a-z][a-z\\d+.-]*:[^#]*[?&]${CLICK_ID_PARAMETER}=([\\w.-]+)`, 'i');

/**
 * The click ID, or token, that a `clickId` holds: as it stands, or out of the address that it came in, a short link or the
 * app's own. Null where it holds nothing.
 */
export function nameInClickId(clickId: string | null | undefined): string | null {
  const text = clickId?.trim() ?? '';
  return IN_ADDRESS.exec(text)?.[1] ?? (text === '' ? null : text);
}
