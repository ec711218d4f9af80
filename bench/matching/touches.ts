/** What a run consists of: the touches as the backtest reads them, and the truth it never sees. */

export interface Signals {
  /** CSS pixels */
  readonly screenWidth: number | null;
  /** CSS pixels */
  readonly screenHeight: number | null;
  readonly pixelRatio: number | null;
  /** IANA name */
  readonly timezone: string | null;
  readonly languages: readonly string[] | null;
  readonly model: string | null;
  readonly platformVersion: string | null;
}

export interface Click {
  readonly type: 'click';
  readonly id: string;
  /** ISO 8601, UTC */
  readonly at: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly acceptLanguage: string | null;
  /** Null where no page ran, only a redirect. */
  readonly signals: Signals | null;
  readonly campaignId: string;
}

export interface Fingerprint {
  readonly ipAddress: string;
  readonly userAgent: string | null;
  readonly platform: 'IOS' | 'ANDROID';
  readonly osVersion: string | null;
  readonly deviceModel: string | null;
  /** Physical pixels */
  readonly screenWidth: number | null;
  /** Physical pixels */
  readonly screenHeight: number | null;
  /** Physical pixels for each CSS pixel */
  readonly screenDensity: number | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly appVersion: string | null;
  readonly sdkVersion: string | null;
}

export interface Install {
  readonly type: 'install';
  readonly id: string;
  /** ISO 8601, UTC */
  readonly at: string;
  readonly fingerprint: Fingerprint;
  readonly installReferrer: string | null;
  readonly clickId: string | null;
}

export type Touch = Click | Install;

/** Who was behind a touch. */
export interface Author {
  /** Null for crawlers and previews: nobody's click. */
  readonly person: number | null;
  readonly device: 'phone' | 'computer' | 'machine';
}

export interface Run {
  /** In time order */
  readonly touches: readonly Touch[];
  /** By the id of the touch */
  readonly authors: ReadonlyMap<string, Author>;
}

/** One answer to one install, whoever gave it. */
export interface Decision {
  readonly installId: string;
  readonly method: 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC';
  readonly clickId: string | null;
  /** From 0 to 1; null where the method gives none. */
  readonly confidence: string | null;
}
