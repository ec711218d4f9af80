/** What a destination's type declares. A type is a module of facts and pure functions; the engine sends. */
import type { TObject } from 'typebox';

/** Identifiers of other systems that the app tells with the event `set_identifiers`, kept with the install. */
export const IDENTIFIERS = [
  'firebaseAppInstanceId',
  'advertisingId',
  'vendorId',
  'metaAnonymousId',
  'amplitudeDeviceId',
  'mixpanelDistinctId',
  'posthogDistinctId',
  'segmentAnonymousId',
] as const;
export type Identifier = (typeof IDENTIFIERS)[number];

/** An install, open or event as it is when it is sent; null where the service does not know. */
export interface ForwardedRecord {
  readonly kind: 'install' | 'open' | 'event';
  /** UUID of the record, by which networks tell repeats apart. Of an event the client's, if it sent one. */
  readonly id: string;
  /** `install`, `open`, or the event's name. */
  readonly name: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly sandbox: boolean;
  readonly app: {
    readonly name: string;
    readonly iosBundleId: string | null;
    readonly iosAppStoreId: string | null;
    readonly androidPackage: string | null;
  };
  readonly installId: string;
  /** ISO 8601. */
  readonly installedAt: string;
  readonly userId: string | null;
  readonly platform: 'ios' | 'android' | 'other';
  /** Of an event; empty for others. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** `amount` is a decimal number as text; negative for a refund. */
  readonly revenue: { readonly amount: string; readonly currency: string } | null;
  /** Of a refund, that of its purchase, if the app or RevenueCat tells it as ID-refund. */
  readonly transactionId: string | null;
  /** The revenue of the transaction counted with an event before, so that this one has none. */
  readonly repeatsTransaction: boolean;
  /** How the install was matched; of an open, the open itself. */
  readonly attribution: {
    readonly method: 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC' | 'DIRECT';
    readonly campaignId: string | null;
    readonly shortCode: string | null;
    readonly utm: {
      readonly source: string | null;
      readonly medium: string | null;
      readonly campaign: string | null;
    } | null;
  };
  /** What an ad network said of the install. */
  readonly network: {
    readonly name: string;
    readonly campaignId: string | null;
    readonly campaignName: string | null;
    readonly adGroupId: string | null;
    readonly adGroupName: string | null;
    readonly adId: string | null;
    readonly adName: string | null;
  } | null;
  readonly device: {
    readonly model: string | null;
    readonly osVersion: string | null;
    readonly locale: string | null;
    /** Two capitals. */
    readonly country: string | null;
    readonly appVersion: string | null;
    /** Only if the install stores it. */
    readonly userAgent: string | null;
  };
  /** The person did not consent to more than certain matching: networks that know such a mark are told so. */
  readonly deterministicOnly: boolean;
  readonly identifiers: Readonly<Partial<Record<Identifier, string>>>;
  readonly googleClickIds: { readonly gclid: string | null; readonly gbraid: string | null };
}

/** A destination's own choices beside its config. */
export interface Mapping {
  /** Names of events by ours, before the type's own names. */
  readonly events?: Readonly<Record<string, string>>;
  /** Sources of the type's fields by name, such as `properties.plan`, `identifiers.vendorId` or `userId`. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface OutgoingCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the receiver said of one record of a call. */
export type ItemResult =
  | { readonly outcome: 'accepted' }
  /** Final: another attempt would end the same way. */
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'retry'; readonly reason: string }
  /** The receiver has no use for it: neither delivered nor failed, and never sent again. */
  | { readonly outcome: 'leftOut'; readonly reason: string };

/** All of a call refused without a word about which record is wrong: the engine halves it until that one is alone. */
export interface RefusedWhole {
  readonly refusedWhole: string;
}

export type ToItem<Item> =
  | { readonly item: Item }
  /** Why the record is not meant for the destination, such as one of another platform: it is no failure. */
  | { readonly leftOut: string }
  /** Why the record cannot be sent, in words that say what to do. */
  | { readonly unsendable: string; readonly missingIdentifier?: Identifier };

export interface DestinationType<Config, Item = unknown> {
  readonly type: string;
  /** As its owner spells it. */
  readonly title: string;
  /** The public page of the API that the facts come from. */
  readonly documentation: string;
  /** Every property has a `description`; the optional ones are `Type.Optional`. */
  readonly config: TObject;
  /** Names of config fields that are write-only. */
  readonly secrets: readonly (keyof Config & string)[];
  readonly limits: {
    readonly maxItems: number;
    readonly maxBytes: number;
    /** Of one item; null without a limit of its own. */
    readonly maxItemBytes: number | null;
    /** Older records are refused before they are sent; null if any age is taken. */
    readonly maxAgeMs: number | null;
    /** The least time between two calls; null if the receiver's own 429 holds them back. */
    readonly intervalMs: number | null;
  };
  /**
   * Every field that a call may have, as a path in its body (`events[].params.value`; `*` for any name, `**` for anything
   * below), `?name` of the query or `header:name`. Nothing else leaves.
   */
  readonly fields: readonly string[];
  /** Names that the fields of `mapping.fields` may have, with the source of each without a mapping; empty for none. */
  readonly mappable: Readonly<Record<string, string>>;
  /** @returns what is wrong with a config that its schema accepts, in words that say what to do; null if nothing is. */
  checkConfig?(config: Config): string | null;
  toItem(record: ForwardedRecord, config: Config, mapping: Mapping): ToItem<Item>;
  /** @param isTest marks the call as a test where the network can. */
  toCall(items: readonly Item[], config: Config, isTest: boolean): OutgoingCall;
  /** @returns one result for each item; null if the status says all: 2xx accepted, 408, 429 and 5xx retry, others refused. */
  readResponse(
    response: { readonly status: number; readonly body: string },
    items: readonly Item[],
  ): ItemResult[] | RefusedWhole | null;
  /**
   * Whether the body of a 2xx that `readResponse` leaves to the status is what the receiver answers when it takes a call,
   * and not the page of a proxy, or an error. Without it any body is.
   */
  isSuccess?(body: string): boolean;
}
