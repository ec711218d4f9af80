/** A run: the touches in the backtest's format, and the truth, which no rule sees. */

export interface Signals {
  /** CSS pixels. */
  readonly screenWidth: number | null;
  /** CSS pixels. */
  readonly screenHeight: number | null;
  readonly pixelRatio: number | null;
  /** IANA name. */
  readonly timezone: string | null;
  readonly languages: readonly string[] | null;
  readonly model: string | null;
  readonly platformVersion: string | null;
  readonly maxTouchPoints: number;
}

export interface Click {
  readonly type: 'click';
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly acceptLanguage: string | null;
  /** Null for a redirect without a page. */
  readonly signals: Signals | null;
  readonly campaignId: string;
}

export interface Fingerprint {
  readonly ipAddress: string;
  readonly userAgent: string | null;
  readonly platform: 'IOS' | 'ANDROID';
  readonly osVersion: string | null;
  readonly deviceModel: string | null;
  /** Physical pixels. */
  readonly screenWidth: number | null;
  /** Physical pixels. */
  readonly screenHeight: number | null;
  /** Physical pixels per CSS pixel. */
  readonly screenDensity: number | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly appVersion: string | null;
  readonly sdkVersion: string | null;
}

export interface Install {
  readonly type: 'install';
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly fingerprint: Fingerprint;
  readonly installReferrer: string | null;
  readonly clickId: string | null;
}

export type Touch = Click | Install;

/** The truth about a touch. */
export interface Author {
  /** Null for crawlers and previews. */
  readonly person: number | null;
  readonly device: 'phone' | 'computer' | 'machine';
}

export interface Run {
  /** In time order. */
  readonly touches: readonly Touch[];
  /** By the id of the touch. */
  readonly authors: ReadonlyMap<string, Author>;
}
