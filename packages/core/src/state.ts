/** The state of the client, apart from events: one value, so that each change is stored whole or not at all. */
import { type Rules, readSchema } from './conversion-value.ts';
import { mayBeToken } from './links.ts';
import type { Attribution, Consent, ConversionValue, DeepLink } from './types.ts';

/** A link that opened the app, or a pasted token, until the service has recorded it. */
export interface Open {
  readonly openId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the link, or of the pasted token. */
  readonly url: string;
  readonly isPasted: boolean;
  /** Whether the app has the link already, as far as the URL told. */
  isDelivered: boolean;
  /** Whether the service has told the link, without a record. */
  isAsked?: boolean;
}

/** The URLs of a process of the app, with their opens, so that no report of one tap counts again. */
interface LaunchOpens {
  readonly id: string;
  readonly opens: readonly { readonly url: string; readonly openId: string }[];
}

/** Of a client with the port `conversion`; stays over a reset, since Apple's timer runs on. */
export interface ConversionState {
  /** Of the first start, in milliseconds since 1970. */
  startedAt: number;
  /** IDs of the last transactions that counted. */
  transactions?: readonly string[];
  /** Null until the service has told it. */
  schema: readonly Rules[] | null;
  etag: string | null;
  /** When the service last told it. */
  schemaAt: number;
  readonly windows: readonly ConversionWindow[];
}

interface ConversionWindow {
  /** A list, since names may be any text. */
  counts: EventCount[];
  set: ConversionValue | null;
}

interface EventCount {
  readonly name: string;
  n: number;
  /** By currency, in ten-thousandths. */
  readonly sums: Record<string, number>;
}

export interface State {
  installId: string;
  /** Null until `setConsent` is called. */
  consent: Consent | null;
  /** Null until the service has recorded the install. */
  firstOpen: Attribution | null;
  /** Whether the install may have reached the service. */
  isInstallSent: boolean;
  /** Whether the service said that it does not know the install. */
  isLost: boolean;
  /** Whether the service said that the install was erased on purpose. */
  isErased: boolean;
  /** As the port said at the first start. */
  isExistingUser: boolean | null;
  /** A URL with a token that goes with the install; empty if the clipboard had none. */
  token: string | null;
  /** Null after `logout`; undefined while no user was ever set. */
  user: string | null | undefined;
  userToSend: string | null;
  /** Links without a listener so far. */
  waiting: { readonly at: number; readonly link: DeepLink }[];
  opens: Open[];
  launch: LaunchOpens | null;
  /** Numbers of the chunks of events: the first, and the one after the last. */
  firstChunk: number;
  endChunk: number;
  droppedEvents: number;
  /** Start of the last session, in milliseconds since 1970. */
  sessionAt: number;
  conversion: ConversionState | null;
}

export const STATE_KEY = 'state';
/** One for each event that may wait. */
export const MAX_CHUNKS = 10_000;
/** An open of an earlier run is still recorded, but no screen appears for it. */
const STALE_MS = 3_600_000;

export function newState(installId: string): State {
  return {
    installId,
    consent: null,
    firstOpen: null,
    isInstallSent: false,
    isLost: false,
    isErased: false,
    isExistingUser: null,
    token: null,
    user: undefined,
    userToSend: null,
    waiting: [],
    opens: [],
    launch: null,
    firstChunk: 0,
    endChunk: 0,
    droppedEvents: 0,
    sessionAt: 0,
    conversion: null,
  };
}

/** @returns null for a damaged value. */
export function readState(text: string): State | null {
  try {
    const stored = JSON.parse(text) as Partial<State> | null;
    return typeof stored?.installId === 'string'
      ? checked({ ...newState(stored.installId), ...stored })
      : null;
  } catch {
    return null;
  }
}

/** Without what an earlier version, or a fault of the storage, left in it. */
function checked(state: State): State {
  const firstChunk = whole(state.firstChunk);
  return {
    ...state,
    firstChunk,
    endChunk: Math.min(Math.max(firstChunk, whole(state.endChunk)), firstChunk + MAX_CHUNKS),
    droppedEvents: whole(state.droppedEvents),
    sessionAt: whole(state.sessionAt),
    conversion: state.conversion && checkedConversion(state.conversion),
    token: state.token && (mayBeToken(state.token) ? state.token : ''),
    opens: state.opens.filter(({ isPasted, url }) => !isPasted || mayBeToken(url)),
  };
}

function checkedConversion(conversion: ConversionState): ConversionState {
  const schema = readSchema({ windows: conversion.schema as never });
  return { ...conversion, schema, etag: schema && conversion.etag };
}

/** A greater number than anything counts up to, or any other value, is none. */
function whole(value: number): number {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 50 ? value : 0;
}

/** Adds to the stored state what happened before the storage answered. */
export function merge(stored: State, early: State, nowMs: number): State {
  const opens = stored.opens.map((open) => ({
    ...open,
    isDelivered: open.isDelivered || nowMs - open.at >= STALE_MS,
  }));
  return {
    ...stored,
    ...(early.user !== undefined && { user: early.user }),
    // Apps name the user at each start.
    userToSend: early.user === stored.user ? stored.userToSend : (early.userToSend ?? stored.userToSend),
    consent: early.consent ?? stored.consent,
    token: early.token ?? stored.token,
    waiting: [...stored.waiting.filter(({ link }) => link.correctionOf === undefined), ...early.waiting],
    opens: [...opens, ...early.opens],
    launch: early.launch ?? stored.launch,
    droppedEvents: stored.droppedEvents + early.droppedEvents,
  };
}

/** The state after a reset, which keeps a refusal, and the URL that started the process. */
export function afterReset({ consent, launch, endChunk, conversion }: State, installId: string): State {
  return {
    ...newState(installId),
    consent: consent === 'granted' ? null : consent,
    launch,
    firstChunk: endChunk,
    endChunk,
    conversion: forgetCounts(conversion),
  };
}

/** In place, since a value may be on its way to Apple, which keeps what was set. */
export function forgetCounts(conversion: ConversionState | null): ConversionState | null {
  if (conversion !== null) conversion.transactions = [];
  for (const window of conversion?.windows ?? []) window.counts = [];
  return conversion;
}
