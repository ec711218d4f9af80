/** LinkForty's score: address 40, user agent 30, time zone, language and screen 10 each; a match from 70. */

import { PLACES } from '../../src/commands/traffic/places.ts';
import type { Click, Install } from '../../src/commands/traffic/touches.ts';
import type { Baseline } from './baselines.ts';
import { browserOf, isSameLanguage, networkKey, platformOf } from './compare.ts';

const CANDIDATES = 1_000;
const THRESHOLD = 70;

/** The newest click with the highest score, among the newest thousand of the server. Nothing is claimed. */
export function linkForty(): Baseline {
  const byNetwork = new Map<string, { readonly click: Click; readonly at: number }[]>();
  let count = 0;
  return {
    name: 'LinkForty',
    click: (click) => {
      const key = networkKey(click.ipAddress);
      byNetwork.set(key, [...newest(byNetwork.get(key) ?? [], count), { click, at: count }]);
      count += 1;
    },
    claimed: () => {},
    install: (install) => {
      // Without the 40 points of the address, a click cannot reach the threshold.
      const list = byNetwork.get(networkKey(install.fingerprint.ipAddress)) ?? [];
      let best: { click: Click; points: number } | null = null;
      for (const { click } of newest(list, count).reverse()) {
        const points = countPoints(click, install);
        if (points >= THRESHOLD && points > (best?.points ?? 0)) best = { click, points };
      }
      return best ? { clickId: best.click.id, confidence: best.points / 100 } : null;
    },
  };
}

/** The clicks of `list` that are among the newest thousand of all `count` clicks. */
function newest<T extends { readonly at: number }>(list: readonly T[], count: number): T[] {
  return list.filter(({ at }) => at >= count - CANDIDATES);
}

/** For a click and an install with the same network. */
function countPoints(
  { ipAddress, userAgent, acceptLanguage, signals }: Click,
  { fingerprint }: Install,
): number {
  const agent = fingerprint.userAgent ?? '';
  const isSameAgent =
    platformOf(userAgent) === platformOf(agent) && browserOf(userAgent) === browserOf(agent);
  const isSameZone = zoneOfAddress(ipAddress) === fingerprint.timezone;
  // Compares CSS pixels of the browser with physical pixels of the SDK, as LinkForty does.
  const isSameScreen =
    signals?.screenWidth != null &&
    signals.screenWidth === fingerprint.screenWidth &&
    signals.screenHeight === fingerprint.screenHeight;
  return (
    40 +
    (isSameAgent ? 30 : 0) +
    (isSameZone ? 10 : 0) +
    (isSameLanguage(acceptLanguage, fingerprint.locale) ? 10 : 0) +
    (isSameScreen ? 10 : 0)
  );
}

/** The time zone by IP geolocation: the most common one of the country; null for an unknown address. */
function zoneOfAddress(ipAddress: string): string | null {
  const place = Object.values(PLACES).find(({ ipv4, ipv6 }) =>
    ipAddress.includes(':')
      ? ipAddress.startsWith(ipv6)
      : ipv4.some((byte) => ipAddress.startsWith(`${byte}.`)),
  );
  return place?.zones[0]?.name ?? null;
}
