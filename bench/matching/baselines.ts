/**
 * Rules of other attribution services, by their descriptions, and the simplest rule. For all, a referrer or click ID
 * decides first. Each gets the inputs it needs: the time zone by geolocation, links under one domain, and screens in CSS
 * pixels; except LinkForty, which mixes the units.
 */

import type { Click, Install } from '../../src/commands/traffic/touches.ts';
import { addressKey, ageMs, cssScreen, engineOf, isSameLanguage, systemOf } from './compare.ts';
import { linkForty } from './linkforty.ts';

interface Match {
  readonly clickId: string;
  /** From 0 to 1; null if the rule has none. */
  readonly confidence: number | null;
}

/** Receives the touches in time order. */
export interface Baseline {
  readonly name: string;
  click(click: Click): void;
  /** A referrer or click ID claimed this click. */
  claimed(click: Click): void;
  /** Matches an install without referrer and click ID. */
  install(install: Install): Match | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function baselines(): Baseline[] {
  return [newestOnAddress(), universalLinksServer(), dub(), grovs(), linkForty()];
}

/** The newest click of the address (IPv6: /64) within 24 hours, claimed once. */
function newestOnAddress(): Baseline {
  const clicks = new RecentClicks(24 * HOUR_MS, addressKey);
  return {
    name: 'Newest click on the address',
    click: (click) => clicks.add(click),
    claimed: (click) => clicks.remove(click),
    install: (install) => claim(clicks, clicks.of(install).at(-1)),
  };
}

/** Exact address, 2 hours; the click with most equal signals, at least two of four; else the newest. Claimed once. */
function universalLinksServer(): Baseline {
  const clicks = new RecentClicks(2 * HOUR_MS);
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

/** Exact address, 1 hour, one entry per link; the first entry wins and is not claimed. */
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

/** Exact address, 5 minutes, same OS version and engine; of several clicks, a single one with equal signals. Claimed once. */
function grovs(): Baseline {
  const clicks = new RecentClicks(5 * MINUTE_MS);
  return {
    name: 'Grovs',
    click: (click) => clicks.add(click),
    claimed: (click) => clicks.remove(click),
    install: (install) => {
      const sameSystem = clicks.of(install).filter((click) => isSameSystem(click, install));
      const matches =
        sameSystem.length > 1 ? sameSystem.filter((click) => isSameDevice(click, install)) : sameSystem;
      return matches.length === 1 ? claim(clicks, matches[0]) : null;
    },
  };
}

/** An install without an engine in its user agent counts as equal. */
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

/** Clicks by address, within a rule's window. */
class RecentClicks {
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

  /** Oldest first. */
  of(install: Install): Click[] {
    const list = this.#clicks.get(this.#keyOf(install.fingerprint.ipAddress)) ?? [];
    return list.filter((click) => ageMs(click, install) <= this.#windowMs);
  }

  remove({ ipAddress, id }: Click): void {
    const key = this.#keyOf(ipAddress);
    const remaining = (this.#clicks.get(key) ?? []).filter((click) => click.id !== id);
    this.#clicks.set(key, remaining);
  }
}

function claim(clicks: RecentClicks, click: Click | undefined): Match | null {
  if (!click) return null;
  clicks.remove(click);
  return { clickId: click.id, confidence: null };
}
