/** Click IDs of Google Ads in Play's referrer (developers.google.com/app-conversion-tracking/api/privacy-compliant-guide). */

/** As Google's app conversions take them. `wbraid` is for pages alone: it tells of an ad, and is not kept. */
export interface GoogleClickIds {
  readonly gclid: string | null;
  readonly gbraid: string | null;
}

/** Those of today have about 100 characters. */
const MAX_ID_CHARACTERS = 512;
/** Some install paths encode the referrer once or twice more. */
const EQUALS = '(?:=|%(?:25){0,2}3[Dd])';
const BEFORE = '(?:^|[&?]|%(?:25){0,2}(?:26|3[Ff]))';
const idOf = (name: string) =>
  new RegExp(`${BEFORE}${name}${EQUALS}([A-Za-z0-9_.~-]{1,${MAX_ID_CHARACTERS + 1}})`);
const GCLID = idOf('gclid');
const GBRAID = idOf('gbraid');
const WBRAID = idOf('wbraid');

/** What counts for one install. */
export function googleEvidence(referrer: string): string[] {
  const ids = {
    gclid: find(GCLID, referrer),
    gbraid: find(GBRAID, referrer),
    wbraid: find(WBRAID, referrer),
  };
  return Object.entries(ids).flatMap(([name, id]) => (id === null ? [] : `google ${name} ${id}`));
}

function find(pattern: RegExp, referrer: string): string | null {
  const id = pattern.exec(referrer)?.[1] ?? null;
  return id !== null && id.length <= MAX_ID_CHARACTERS ? id : null;
}

/** @returns null without a click ID of Google Ads. */
export function googleClickIdsIn(referrer: string): GoogleClickIds | null {
  const [gclid, gbraid, wbraid] = [GCLID, GBRAID, WBRAID].map((pattern) => find(pattern, referrer));
  if (!gclid && !gbraid && !wbraid) return null;
  return { gclid: gclid ?? null, gbraid: gbraid ?? null };
}
