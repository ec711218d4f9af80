import {
  type DeviceReport,
  type Platform,
  preferredLanguage,
  signalsOfDevice,
  versionOfBrowser,
} from '../../devices/index.ts';
import type { Visit } from './route-link.ts';
import type { KnownVersion, RulePlatform } from './rules.ts';

/** Any minor version. */
const HIGHEST = '999999';

interface VersionReport {
  readonly osVersion: string | null;
  readonly mayBeFrozen: boolean;
  readonly isMinorUnsure: boolean;
}

function knownVersion({ osVersion, mayBeFrozen, isMinorUnsure }: VersionReport): KnownVersion | null {
  if (osVersion === null) return null;
  if (mayBeFrozen) return { least: osVersion, most: null };
  if (!isMinorUnsure) return { least: osVersion, most: osVersion };
  const [major = ''] = osVersion.split('.');
  return { least: major, most: `${major}.${HIGHEST}` };
}

/** What a request for a link tells. */
export interface BrowserRequest extends Pick<Visit, 'country' | 'query' | 'atMs' | 'id' | 'rest'> {
  readonly userAgent: string | null;
  readonly acceptLanguage: string | null;
  /** From client hints; called if a rule asks, as few do. */
  readonly platformVersion: () => string | null;
}

/** A visit by a browser. What most links do not ask is read when a rule does. */
class BrowserVisit implements Visit {
  readonly platform: RulePlatform;
  readonly #request: BrowserRequest;
  #osVersion: KnownVersion | null | undefined;
  #language: string | null | undefined;

  constructor(request: BrowserRequest, platform: RulePlatform) {
    this.platform = platform;
    this.#request = request;
  }

  get osVersion(): KnownVersion | null {
    const { platform } = this;
    if (platform === 'OTHER') return null;
    if (this.#osVersion === undefined) {
      const { userAgent } = this.#request;
      const platformVersion = this.#request.platformVersion();
      this.#osVersion = knownVersion(versionOfBrowser(userAgent, { platform, platformVersion }));
    }
    return this.#osVersion;
  }

  get language(): string | null {
    if (this.#language === undefined) this.#language = preferredLanguage(this.#request.acceptLanguage);
    return this.#language;
  }

  get country() {
    return this.#request.country;
  }

  get query() {
    return this.#request.query;
  }

  get rest() {
    return this.#request.rest;
  }

  get atMs() {
    return this.#request.atMs;
  }

  get id() {
    return this.#request.id;
  }
}

/** @param platform null for computers and others. */
export function visitOfBrowser(request: BrowserRequest, platform: Platform | null): Visit {
  return new BrowserVisit(request, platform ?? 'OTHER');
}

const PLATFORMS: readonly Platform[] = ['IOS', 'ANDROID'];

/** A visit by an app that the link opened. @param report of the SDK; null without one. */
export function visitOfApp(
  report: (Omit<DeviceReport, 'platform'> & { readonly platform: string }) | null,
  request: Pick<Visit, 'country' | 'query' | 'atMs' | 'id' | 'rest'>,
): Visit {
  const platform = PLATFORMS.find((each) => each === report?.platform.toUpperCase());
  const isDevice = report !== null && platform !== undefined;
  return {
    ...request,
    // An app is never a computer.
    platform: platform ?? null,
    osVersion: isDevice ? knownVersion(signalsOfDevice({ ...report, platform })) : null,
    // Android's `Locale.toString()` appends scripts and extensions after a `#` or an `@`.
    language: report?.locale?.split(/[#@.]/, 1)[0] || null,
  };
}
