/**
 * Rules of other attribution services, from their descriptions; and the plainest rule there is.
 *
 * Alike for all: a referrer or click ID decides first. Each is given what it is meant to have: the time zone a
 * geolocation database knows, links under one domain, and screens in CSS pixels on both sides, but for LinkForty,
 * of which it is known that it mixes the units.
 */
import { addressKey, ageMs, cssScreen, engineOf, isSameLanguage, systemOf } from './compare.ts';
import { linkForty } from './linkforty.ts';
import type { Click, Install } from './touches.ts';

export interface Match {
  readonly clickId: string;
  /** From 0 to 1; null where the rule gives none. */
  readonly confidence: number | null;
}

/** A rule takes touches in time order. */
export interface Baseline {
  readonly name: string;
  click(click: Click): void;
  /** A referrer or click ID has claimed this click. */
  claimed(click: Click): void;
  /** The click of an install without referrer and click ID. */
  install(install: Install): Match | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function baselines(): Baseline[] {
  return [newestOnAddress(), universalLinksServer(), dub(), grovs(), linkForty()];
}

/** The newest click of that address (IPv6: /64) within 24 hours, claimed once. */
function newestOnAddress(): Baseline {
  const clicks = new Recent(24 * HOUR_MS, addressKey);
  return {
    name: 'Newest click on the address',
    click: (click) => clicks.add(click),
    claimed: (click) => clicks.remove(click),
    install: (install) => claim(clicks, clicks.of(install).at(-1)),
  };
}

/** Exact address, 2 hours; the most of four signals wins, at least two; else the newest. Claimed once. */
function universalLinksServer(): Baseline {
  const clicks = new Recent(2 * HOUR_MS);
  return {
    name: 'universal-links-server',
    click: (click) => clicks.add(click),
    claimed: (click) => clicks.remove(click),
    install: (install) => {
      const newestFirst = clicks.of(install).reverse();
      const scores = newestFirst.map((click) => countSignals(click, install));
      const best = Math.max(...scores);
      return claim(clicks, newestFirst[best >= 2 ? scores.indexOf(best) : 0]);
    },
  };
}

function countSignals({ signals, acceptLanguage }: Click, { fingerprint }: Install): number {
  const screen = cssScreen(fingerprint);
  const isNear = (one: number | null | undefined, other: number | null | undefined) =>
    one != null && other != null && Math.abs(one - other) <= 50;
  return (
    Number(signals?.timezone != null && signals.timezone === fingerprint.timezone) +
    Number(isSameLanguage(signals?.languages?.[0] ?? acceptLanguage, fingerprint.locale)) +
    Number(isNear(signals?.screenWidth, screen?.width)) +
    Number(isNear(signals?.screenHeight, screen?.height))
  );
}

/** Exact address, 1 hour, one entry for each link; the first entry found wins and stays. */
function dub(): Baseline {
  const entries = new Map<string, Map<string, Click>>();
  return {
    name: 'Dub',
    click: (click) => {
      const links = entries.get(click.ipAddress) ?? new Map<string, Click>();
      links.set(click.campaignId, click);
      entries.set(click.ipAddress, links);
    },
    claimed: () => {},
    install: (install) => {
      const links = [...(entries.get(install.fingerprint.ipAddress)?.values() ?? [])];
      const found = links.find((click) => ageMs(click, install) <= HOUR_MS);
      return found ? { clickId: found.id, confidence: null } : null;
    },
  };
}

/** Exact address, 5 minutes, same system version and engine; of several, only one alike in everything. Claimed once. */
function grovs(): Baseline {
  const clicks = new Recent(5 * MINUTE_MS);
  return {
    name: 'Grovs',
    click: (click) => clicks.add(click),
    claimed: (click) => clicks.remove(click),
    install: (install) => {
      const alike = clicks.of(install).filter((click) => isSameSystem(click, install));
      const left = alike.length > 1 ? alike.filter((click) => isSameDevice(click, install)) : alike;
      return left.length === 1 ? claim(clicks, left[0]) : null;
    },
  };
}

/** The SDK's web view names the engine; of an install that does not show it, we take it as the same. */
function isSameSystem({ userAgent }: Click, { fingerprint }: Install): boolean {
  const engine = engineOf(fingerprint.userAgent ?? '');
  const system = `${fingerprint.platform === 'IOS' ? 'iOS' : 'Android'} ${fingerprint.osVersion}`;
  return systemOf(userAgent) === system && (engine === null || engine === engineOf(userAgent));
}

function isSameDevice({ signals }: Click, { fingerprint }: Install): boolean {
  const screen = cssScreen(fingerprint);
  return (
    signals?.screenWidth === screen?.width &&
    signals?.screenHeight === screen?.height &&
    signals?.timezone === fingerprint.timezone &&
    isSameLanguage(signals?.languages?.[0], fingerprint.locale)
  );
}

/** Clicks by exact address, as long as a rule looks back. */
class Recent {
  readonly #windowMs: number;
  readonly #keyOf: (ipAddress: string) => string;
  readonly #clicks = new Map<string, Click[]>();

  constructor(windowMs: number, keyOf = (ipAddress: string) => ipAddress) {
    this.#windowMs = windowMs;
    this.#keyOf = keyOf;
  }

  add(click: Click): void {
    const key = this.#keyOf(click.ipAddress);
    const list = this.#clicks.get(key);
    if (list) list.push(click);
    else this.#clicks.set(key, [click]);
  }

  /** Oldest first */
  of(install: Install): Click[] {
    const list = this.#clicks.get(this.#keyOf(install.fingerprint.ipAddress)) ?? [];
    return list.filter((click) => ageMs(click, install) <= this.#windowMs);
  }

  remove({ ipAddress, id }: Click): void {
    const key = this.#keyOf(ipAddress);
    const left = (this.#clicks.get(key) ?? []).filter((click) => click.id !== id);
    this.#clicks.set(key, left);
  }
}

function claim(clicks: Recent, click: Click | undefined): Match | null {
  if (!click) return null;
  clicks.remove(click);
  return { clickId: click.id, confidence: null };
}
