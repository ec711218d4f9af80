/** The public interface: configuration, ports and results. */
import type { StandardEvent } from './standard-event.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/**
 * The consent of the person.
 * - `granted`: device data is sent and may be matched.
 * - `deterministic-only`: only the platform and a click ID or the store's referrer are sent, and nothing else is matched.
 * - `denied`: links are resolved, and nothing is recorded.
 * - `pending`: nothing is sent until the person has answered.
 */
export type Consent = 'granted' | 'deterministic-only' | 'denied' | 'pending';

export type Method = 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC' | 'DIRECT';

export interface Config {
  /** Base URL of the service, such as `https://go.example.com`. */
  readonly baseUrl: string;
  /** A publishable key: `svc_live_pub_…` in releases, `svc_test_pub_…` in debug builds. */
  readonly key: string;
  /** Hosts of the short links. Default: the host of `baseUrl`. */
  readonly hosts?: readonly string[] | undefined;
  /** Until `setConsent` is called for the first time. Default: `granted`. */
  readonly consent?: Consent | undefined;
  /** For how long `firstOpen` waits for the service. Default: 1,500. */
  readonly firstOpenTimeoutMs?: number | undefined;
  /** After it a link is the one that its URL tells, and a correction may follow. Default: 2,000. */
  readonly linkTimeoutMs?: number | undefined;
  /** Reports every step to `onLog`, or to the console. */
  readonly debug?: boolean | undefined;
  /** Receives warnings and errors, and with `debug` every step. Default: the console. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}

export interface LogEntry {
  readonly level: 'debug' | 'warn' | 'error';
  readonly message: string;
}

/** Where a link leads in the app. */
export interface DeepLink {
  readonly path: string;
  readonly params: JsonObject;
  /** The URL that opened the app; null for a deferred link. */
  readonly url: string | null;
  /** True if the link was tapped before the app was installed. */
  readonly deferred: boolean;
  readonly campaignId: string | null;
  readonly method: Method;
  /** From 0 to 1; null unless the method is FINGERPRINT. */
  readonly confidence: number | null;
  /** Only the URL told the link, and the service may know another path. A correction may follow. */
  readonly unresolved?: true;
  /** The URL of an earlier link that this one corrects: replace its screen. */
  readonly correctionOf?: string;
  /** The least version of the app that can show the link, where the link names one. */
  readonly minAppVersion?: { readonly ios?: string; readonly android?: string };
  /** The metadata of the link, where it has some; of a friend's link, `invitedBy`. */
  readonly metadata?: JsonObject;
  /** This version of the app is older than `minAppVersion`: ask the person to update it in place of showing a screen. */
  readonly updateRequired?: true;
}

/** A link that the app makes, with the fields of `POST /v1/sdk/links`. The app's settings say which stores it leads to. */
export interface NewLink {
  /** Where it leads in the app, such as `/invite/42`. */
  readonly deepLinkPath: string;
  /** Delivered with the path; an object that JSON can write, of at most 16 KiB. */
  readonly deepLinkParams?: object | undefined;
  /** Of the card that chats show. Default: the app's name. */
  readonly ogTitle?: string | undefined;
  readonly ogDescription?: string | undefined;
  /** The http(s) address of the card's picture. */
  readonly ogImage?: string | undefined;
  /** Only where the app's settings allow it. */
  readonly campaignId?: string | undefined;
}

export interface CreatedLink {
  readonly shortCode: string;
  readonly shortUrl: string;
}

/** Which link brought the install. */
export interface Attribution {
  /** True while the service has not answered; the answer then arrives by `onDeepLink`, and by the next `firstOpen`. */
  readonly pending: boolean;
  readonly attributed: boolean;
  readonly method: Method;
  readonly installId: string | null;
  readonly clickId: string | null;
  readonly campaignId: string | null;
  /** From 0 to 1; null unless the method is FINGERPRINT. */
  readonly confidence: number | null;
  readonly link: DeepLink | null;
  /** The metadata of the link. */
  readonly metadata: JsonObject;
}

/** An exact decimal amount, such as `19.99`; negative for a refund. */
export interface Revenue {
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
  /** The revenue of a transaction counts once. */
  readonly transactionId?: string | undefined;
}

/** The state of the client, and why the install matched or not. */
export interface Explanation {
  readonly installId: string | null;
  readonly consent: Consent;
  readonly firstOpen: Attribution | null;
  /** For people. */
  readonly reason: string;
  /** The decision of the service; null without a test key. */
  readonly trace: JsonObject | null;
  readonly queuedEvents: number;
  /** Lost to the limits of 10,000 events and 8 MiB, or refused by the service. */
  readonly droppedEvents: number;
}

/** The fingerprint of the API: sizes in physical pixels, `screenDensity` is the pixel ratio. */
export interface Fingerprint {
  readonly platform: 'ANDROID' | 'IOS';
  readonly userAgent?: string;
  readonly osVersion?: string;
  readonly deviceModel?: string;
  readonly screenWidth?: number;
  readonly screenHeight?: number;
  readonly screenDensity?: number;
  readonly locale?: string;
  /** IANA name. */
  readonly timezone?: string;
  readonly appVersion?: string;
}

/** From the Play Store; times are ISO 8601, those of `server…` by Google's clock, the others by that of the device. */
export interface StoreReferrer {
  readonly installReferrer: string;
  readonly clickedAt?: string | undefined;
  readonly serverClickedAt?: string | undefined;
  readonly installBeganAt?: string | undefined;
  readonly serverInstallBeganAt?: string | undefined;
}

/** What Meta's apps on Android tell by their content provider about the tap on an ad. */
export interface MetaReferrer {
  readonly installReferrer: string;
  /** Of a tap; false if the ad was only seen. */
  readonly isClickThrough?: boolean | null | undefined;
  readonly actualTimestampSeconds?: number | null | undefined;
}

/** For Apple's SKAdNetwork and AdAttributionKit, by the app's schema of conversion values. */
export interface ConversionValue {
  /** From 0 to 63; Apple reads it in the first 48 hours only. */
  readonly fine: number;
  /** Null where Apple shall keep the one it has. */
  readonly coarse: 'low' | 'medium' | 'high' | null;
  /** Whether Apple shall send its postback of this window now; no later value of the window counts. */
  readonly lock: boolean;
}

/** May answer at once, as `localStorage` does. A client takes one object; a second client must not use it too. */
export interface KeyValueStorage {
  getItem(key: string): Promise<string | null> | string | null;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export interface LinkSource {
  /** The URL that started the app; null if none did. */
  initial(): Promise<string | null>;
  /** Calls back for each URL that the running app receives. @returns a function that ends it. */
  subscribe(listener: (url: string) => void): () => void;
  /** Differs in each process of the app, and stays over a reload of its JavaScript. */
  launchId?(): string | null;
}

/** The parts of `Response` that the client reads. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<HttpResponse>;

/** The environment. Every port has a default that works without the feature. */
export interface Ports {
  /** Default: memory, which forgets the first open when the app ends. */
  readonly storage?: KeyValueStorage | undefined;
  /** Default: an iOS device of which nothing else is known. */
  readonly device?: (() => Promise<Fingerprint>) | undefined;
  /** Default: none. */
  readonly referrer?: (() => Promise<StoreReferrer | null>) | undefined;
  /** What Meta's content provider on Android tells. Default: none. */
  readonly metaReferrer?: (() => Promise<MetaReferrer | null>) | undefined;
  /** The token of Apple's AdServices, by which the service asks Apple for the ad. Default: none. */
  readonly appleAdsToken?: (() => Promise<string | null>) | undefined;
  /** Hands a conversion value to Apple. Default: none is computed. */
  readonly conversion?: ((value: ConversionValue) => Promise<void>) | undefined;
  /** Reads text that may hold the token of the landing page. Default: never read. */
  readonly clipboard?: (() => Promise<string | null>) | undefined;
  /** Whether the person had the app before its first version with this client. Asked once, at the first start. */
  readonly isExistingUser?: (() => boolean | Promise<boolean>) | undefined;
  /** Default: none; pass URLs to `handleUrl`. */
  readonly links?: LinkSource | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds that nobody can set, for ages within a process. Default: `performance.now`, else `now`. */
  readonly uptime?: (() => number) | undefined;
  /** From 0 up to 1. Default: `crypto.getRandomValues`, else `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Name and version of a package around this one, as in `sdkVersion`. Default: `throughline-core/` and its version. */
  readonly sdk?: string | undefined;
}

/** No method but `createLink` throws because of the network or the storage. */
export interface Throughline {
  /** Reads the stored state, makes IDs at the first start, and begins to send. Resolves without the network. */
  start(): Promise<void>;
  /**
   * Receives every link that opened the app, and the deferred link of the install, once; later a correction of a link that
   * only its URL told. Links wait for the first listener, at most 24 hours.
   * @returns a function that removes the listener.
   */
  onDeepLink(listener: (link: DeepLink) => void | Promise<void>): () => void;
  /** The same answer at every start. After `firstOpenTimeoutMs` without one, an answer that is `pending`. */
  firstOpen(): Promise<Attribution>;
  /**
   * Resolves a URL from a push message, NFC or a QR code; the caller gets the link, listeners only its correction. Null if
   * it is no link of the app. Answers within `linkTimeoutMs`.
   * @param options `launchId` of the process if the URL started it: further reports of this URL are the same tap.
   * `timeoutMs` in place of `linkTimeoutMs`, for a caller that cannot wait as long.
   */
  handleUrl(
    url: string,
    options?: { readonly launchId?: string | undefined; readonly timeoutMs?: number | undefined },
  ): Promise<DeepLink | null>;
  /** True for a URL of one of `hosts`, and for the app's own scheme with `svc_click_id`; other URLs of that scheme are the app's own business. Makes no request. */
  isLink(url: string): boolean;
  /**
   * Exchanges the text that the landing page put into the clipboard for its link. Null if it names
   * none, and after `linkTimeoutMs` without an answer: then the log says so, and listeners get the link later.
   */
  claim(pasted: string): Promise<DeepLink | null>;
  /** @param properties an object that JSON can write; what the service would refuse is refused at once, in the log. */
  track(name: string, properties?: object, revenue?: Revenue): void;
  /** @param event of `StandardEvent`, such as `StandardEvent.purchase({ revenue })`. */
  track(event: StandardEvent): void;
  /** Links the install and later events to a user of the app. */
  identify(userId: string): void;
  /** Later events have no user. */
  logout(): void;
  /** Stays over restarts. `denied` erases everything that waits to be sent. Rejects another text than a `Consent`. */
  setConsent(consent: Consent): Promise<void>;
  /**
   * Makes a short link for a person to share; it names this install as the inviter. The same content gives the same link,
   * however often it is asked for. Waits for the answer to the first start.
   * @param options `timeoutMs` until it fails, 10,000 by default.
   * @throws LinkError whose `code` says why there is no link, and whose message what to do.
   */
  createLink(link: NewLink, options?: { readonly timeoutMs?: number | undefined }): Promise<CreatedLink>;
  /** Sends everything that waits, once; call it when the app goes to the background or returns. */
  flush(): Promise<void>;
  /** Erases everything that the client stored, except for a refusal of consent. The next `start` is a first start. */
  reset(): Promise<void>;
  /** Ends the client, and leaves its storage to another one. */
  shutdown(): Promise<void>;
  /** Why the install matched a click, or why not; with the decision of the service for test keys. */
  explain(): Promise<Explanation>;
}
