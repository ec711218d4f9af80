import type { LinkSource } from '@throughline/core';

interface Launch {
  readonly id: string;
  readonly url: string;
}

/** Of this tab, over reloads. */
const LAUNCH_KEY = 'throughline.launch';

/**
 * The address that the page was opened with; core ignores one of another host than `hosts`. A reload, and a return by the
 * browser's buttons, are the same tap.
 */
export function pageLinks(): LinkSource {
  const launch = readLaunch();
  return {
    initial: async () => (isStartPage(launch.url) ? null : launch.url),
    launchId: () => launch.id,
    // A link loads the page anew.
    subscribe: () => () => {},
  };
}

/** Of a site that has short links beside its pages: no link leads there. */
function isStartPage(url: string): boolean {
  const { pathname, search } = new URL(url);
  return pathname === '/' && search === '';
}

function readLaunch(): Launch {
  const fresh = {
    id: `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
    url: location.href,
  };
  try {
    const stored = isNewVisit() ? null : sessionStorage.getItem(LAUNCH_KEY);
    if (stored !== null) return JSON.parse(stored) as Launch;
    sessionStorage.setItem(LAUNCH_KEY, JSON.stringify(fresh));
  } catch {
    // The person keeps sites from storing: each load is a visit.
  }
  return fresh;
}

/** A second client of one page, as after `shutdown`, is still the same visit. */
let isKnown = false;

function isNewVisit(): boolean {
  if (isKnown) return false;
  isKnown = true;
  const [navigation] = performance.getEntriesByType('navigation');
  const type = (navigation as PerformanceNavigationTiming | undefined)?.type;
  return type !== 'reload' && type !== 'back_forward';
}
