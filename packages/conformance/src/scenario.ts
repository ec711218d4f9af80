/** The shape of the files in `scenarios/`; `scenario.schema.json` says the same for editors and tests. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export interface Scenario {
  /** The guarantee, as one sentence. */
  readonly title: string;
  /** Settings of the app. Such a scenario needs a service that the runner starts. */
  readonly app?: JsonObject;
  /** Body of `PUT /v1/skan/conversion-values`. Such a scenario needs a service that the runner starts. */
  readonly conversionValues?: JsonObject;
  /** Bodies of `POST /v1/links` by name; the name gives `${name.url}` and `${name.code}`. */
  readonly links?: Readonly<Record<string, JsonObject>>;
  readonly steps: readonly Step[];
  readonly expect: Expectation;
}

export type Step =
  | { readonly launch: Launch }
  | { readonly kill: true }
  /** Kills the app and forgets its storage. */
  | { readonly uninstall: true }
  | { readonly network: 'online' | 'offline' | readonly Rule[] }
  | { readonly tap: Tap }
  | { readonly until: Expectation }
  /** A point in the log of requests that `since` of an expectation names. */
  | { readonly mark: string }
  | { readonly sleepMs: number }
  /** A call of the management API with the app's secret key, such as an erasure. */
  | { readonly manage: { readonly method: string; readonly path: string; readonly body?: JsonObject } }
  /**
   * The next launch meets a service that was restored from a backup: it knows nothing of the phone. Such a scenario needs a
   * service that the runner starts.
   */
  | { readonly restored: true }
  /** `${i}` counts from 1. */
  | { readonly repeat: number; readonly steps: readonly Step[] }
  | CommandStep;

/** A line of the protocol, with the fields of that command. */
export interface CommandStep {
  readonly do: string;
  /** Keeps the value of the answer under this name. */
  readonly as?: string;
  /** Goes on without waiting for the answer. */
  readonly later?: true;
  /** The client must answer an error. */
  readonly fails?: true;
  readonly [field: string]: Json | undefined;
}

/** A cold start of the app; absent fields have the defaults of `launch.ts`. */
export interface Launch {
  readonly config?: JsonObject;
  readonly device?: 'ANDROID' | 'IOS';
  readonly referrer?: JsonObject;
  readonly metaReferrer?: JsonObject;
  readonly appleAdsToken?: string;
  /** Whether the app hands conversion values to Apple; the first one is refused with `fails once`. */
  readonly conversion?: true | 'fails once';
  readonly clipboard?: string;
  readonly initialUrl?: string;
  readonly launchId?: string;
  /** What the app says to `isExistingUser`. */
  readonly existingUser?: true;
  /** Of the installed app; null if the client cannot know it. */
  readonly appVersion?: string | null;
  /** Milliseconds by which the clock of the phone is ahead. */
  readonly clockAheadMs?: number;
  readonly storage?: StorageFault;
  /** Whether the app adds its listener at once. Default: true. */
  readonly listen?: boolean;
  /** Goes on without waiting for the client. */
  readonly later?: true;
}

/** `hangs`: reads never answer. `throws once`: the first read fails. `synchronous`: functions return values, no promises. `full`: writes fail. */
type StorageFault = 'hangs' | 'throws once' | 'synchronous' | 'full';

/** A person taps a link of the scenario, or one that the app made, in a browser. The name gives `${name.referrer}` on Android and `${name.clipboard}` on iOS. */
export interface Tap {
  readonly link: string;
  readonly device: 'ANDROID' | 'IOS';
  readonly as: string;
}

/** Faults of the network; the first rule that applies counts. */
export interface Rule {
  /** `*` at the end stands for any rest. */
  readonly path: string;
  /** Which of the requests to the path since the rules were set, from 1. Default: each. */
  readonly nth?: number | readonly number[];
  /** Only requests with more bytes than this in their body. */
  readonly aboveBytes?: number;
  readonly do:
    | 'drop request'
    | 'drop answer'
    | 'cut answer'
    | 'delay request'
    | 'delay answer'
    | 'never answer'
    | 'repeat request'
    | 'swap with next'
    | 'answer';
  /** Of a delay. */
  readonly ms?: number;
  /** Of `answer`, which the service does not see. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Count = number | { readonly min?: number; readonly max?: number };

/** Everything named must hold. */
export interface Expectation {
  /** Records that the management API lists, oldest first: their number, or one pattern for each. */
  readonly installs?: Count | readonly Json[];
  readonly opens?: Count | readonly Json[];
  readonly events?: Count | readonly Json[];
  /** Short links that the app made, as the management API lists them, oldest first. */
  readonly made?: Count | readonly Json[];
  /** Names of the events that the service accepted, in the order in which they reached it. */
  readonly order?:
    | readonly string[]
    | { readonly prefix: string; readonly from: number; readonly to: number };
  /** Links that listeners got in all processes, in order. */
  readonly links?: Count | readonly Json[];
  /** Links with `correctionOf` that listeners got. */
  readonly corrections?: Count | readonly Json[];
  /** Conversion values that were set, in all processes. */
  readonly conversions?: Count | readonly Json[];
  /** Warnings and errors of the client that contain a text. */
  readonly log?: readonly { readonly contains: string; readonly count: Count }[];
  /** Patterns of the answers that steps named. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly requests?: readonly RequestExpectation[];
  /** Of `until`. Default: the patience of the run. */
  readonly withinMs?: number;
}

export interface RequestExpectation {
  readonly path: string;
  /** Default: those after the start of the scenario. */
  readonly since?: string;
  readonly count?: Count;
  /** What the service answered, one for each. */
  readonly statuses?: readonly number[];
  /** The body of each fits. */
  readonly body?: Json;
  /** Fields of the body that are the same in all. */
  readonly same?: readonly string[];
  /** The least time between two of them. */
  readonly apartMs?: number;
  /** Each leaves after the service first answered a request to this path. */
  readonly after?: string;
  /** No part of the request contains this text. */
  readonly without?: string;
}
