/**
 * Says in plain English why an install or open has its click, or none, for a developer of the app: without identifiers or
 * values of signals. Pure, with no import that a browser lacks: the console shows the same words.
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type {
  Agreement,
  Compared,
  Method,
  RejectedClick,
  Rejection,
  ScoredCandidate,
  SignalName,
  StoredTrace,
  Trace,
} from './trace.ts';

type Kind = 'install' | 'open';

/** Why the click won, or why none did, in one or two sentences. */
export function explainTrace(trace: StoredTrace, record: Kind): string {
  if (trace.method === 'DIRECT') return 'The link itself opened the app, so no click was needed.';
  const isExisting = trace.fingerprint.outcome === 'existing_user';
  const before = isExisting ? null : whyNoNamedClick(trace, record);
  return [...(before === null ? [] : [before]), lastMethod(trace, record)].map(sentence).join(' ');
}

/** What each method that finds clicks came to, in their order; null for those after the one that found it. */
export function explainMethods(
  trace: Trace,
  record: Kind,
): Readonly<Record<Exclude<Method, 'ORGANIC'>, string | null>> {
  const { method, referrer } = trace;
  const why = (name: 'INSTALL_REFERRER' | 'CLICK_ID', none: string) => {
    if (method === name) return sentence(lastMethod(trace, record));
    return sentence(whyRejected(trace, name, record)[0] ?? none);
  };
  const isNamed = method === 'INSTALL_REFERRER' || method === 'CLICK_ID';
  return {
    INSTALL_REFERRER: why(
      'INSTALL_REFERRER',
      referrer === 'no_click_id' ? NO_CLICK_IN_REFERRER : 'the app sent no Play referrer',
    ),
    CLICK_ID: method === 'INSTALL_REFERRER' ? null : why('CLICK_ID', NO_CLICK_ID),
    FINGERPRINT: isNamed ? null : sentence(lastMethod(trace, record)),
  };
}

/** Why one click was passed over. */
export function explainRejection({ method, reason }: RejectedClick, trace: Trace, record: Kind): string {
  return sentence(`it is ${textOf(reason, scopeOf(method, trace, record))}`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const NAMES = {
  INSTALL_REFERRER: 'the click ID in the Play referrer',
  CLICK_ID: 'the click ID that the app sent',
} as const;
const NO_CLICK_IN_REFERRER = 'the Play referrer names no click';
const NO_CLICK_ID = 'the app sent no click ID';

/** @returns null if no method before the last one found a reason. */
function whyNoNamedClick(trace: Trace, record: Kind): string | null {
  const { method, referrer, fingerprint } = trace;
  const reasons = (['INSTALL_REFERRER', 'CLICK_ID'] as const).flatMap((name) =>
    whyRejected(trace, name, record),
  );
  if (referrer === 'no_click_id') reasons.unshift(NO_CLICK_IN_REFERRER);
  if (reasons.length > 0) return reasons.join(', and ');
  if (method !== 'ORGANIC' || 'considered' in fingerprint) return null;
  return record === 'install' ? 'the app sent neither a Play referrer nor a click ID' : NO_CLICK_ID;
}

function whyRejected(trace: Trace, name: keyof typeof NAMES, record: Kind): string[] {
  return trace.rejections
    .filter(({ method }) => method === name)
    .map(({ reason }) => `${NAMES[name]} is ${textOf(reason, scopeOf(name, trace, record))}`);
}

interface Scope {
  readonly hours: number;
  readonly claimer: string;
}

function scopeOf(method: Method, { windowHours }: Trace, record: Kind): Scope {
  if (method === 'INSTALL_REFERRER') return { hours: windowHours.referrer, claimer: record };
  // A clipboard token works for an install or an open.
  if (method === 'CLICK_ID') return { hours: windowHours.clickId, claimer: 'install or open' };
  return { hours: windowHours.fingerprint, claimer: record };
}

/** Of a click or its ID, behind "is". */
function textOf(reason: Rejection, { hours, claimer }: Scope): string {
  const texts: Readonly<Record<Rejection, string>> = {
    malformed: 'neither a UUID nor a clipboard token of this app',
    unknown: 'not that of a click of this app',
    not_claimable: 'of a crawler, a preview or a prefetch',
    sandbox: 'of a sandbox link, which needs a debug build or a test key',
    outside_window: `older than ${count(hours, 'hour')}`,
    after_install_began: 'younger than the start of the installation that Play reports',
    token_expired: 'a clipboard token of more than an hour ago',
    already_claimed: `already claimed by another ${claimer}`,
    other_platform: 'of another platform',
    unknown_platform: 'of a client that names no operating system',
    other_model: 'of another model of device',
    older_system: `of a newer system version than that of this ${claimer}`,
    contradicts: 'of a device that differs in two or more signals',
  };
  // Another version may have more reasons.
  return texts[reason] ?? reason;
}

function lastMethod(trace: Trace, record: Kind): string {
  const { fingerprint } = trace;
  switch (fingerprint.outcome) {
    case 'not_needed':
      return trace.method === 'INSTALL_REFERRER'
        ? 'the Play referrer names this click'
        : 'the app sent the ID of this click';
    case 'deterministic_only':
      return 'the app allowed deterministic matching only, so no device signals were compared';
    case 'disabled':
      return 'matching by device signals is switched off for this platform in the settings of the app';
    case 'existing_user':
      return 'the person had the app before the version that brought the SDK, so the install is not attributed';
    case 'no_address':
      return 'the network address of the device is unknown, so no clicks were compared: with a secret key send it as fingerprint.ipAddress';
    default:
      return whatWasCompared(trace, fingerprint, record);
  }
}

function whatWasCompared(trace: Trace, compared: Compared, record: Kind): string {
  const { outcome, considered, threshold, margin, crowd } = compared;
  const [best] = compared.candidates;
  if (best === undefined || best.probability === 0) return whyNoCandidate(trace, record);
  const scored = `the best scored ${Math.floor(best.probability * 100) / 100}`;
  const start = `${clicksHere(trace, considered)} ${considered === 1 ? 'was' : 'were'} compared`;
  switch (outcome) {
    case 'nothing_agrees':
      return `${start}, but the address alone is no evidence: ${details(best, crowd)}`;
    case 'ambiguous':
      return `${start}, and two devices fit about as well: ${scored}, but must be ${margin} times as probable as a click of any other device`;
    default:
      return `${start}, and ${scored} where ${threshold} is needed: ${details(best, crowd)}`;
  }
}

function clicksHere({ windowHours }: Trace, clicks: number): string {
  return `${clicks === 0 ? 'no click' : count(clicks, 'click')} from this network address in the last ${count(windowHours.fingerprint, 'hour')}`;
}

/** If every click from the address is rejected. */
function whyNoCandidate(trace: Trace, record: Kind): string {
  const listed = trace.rejections.filter(({ method }) => method === 'FINGERPRINT');
  const total = trace.rejected - (trace.rejections.length - listed.length);
  if (total === 0) return `there is ${clicksHere(trace, 0)}`;
  const counts = Map.groupBy(listed, ({ reason }) => reason);
  const scope = scopeOf('FINGERPRINT', trace, record);
  const reasons = [...counts].map(
    ([reason, { length }]) => `${length} ${length === 1 ? 'is' : 'are'} ${textOf(reason, scope)}`,
  );
  if (total > listed.length) reasons.push(`${total - listed.length} more are rejected`);
  return `${clicksHere(trace, total)} cannot be matched: ${reasons.join(', ')}`;
}

const AGREEMENTS: Readonly<Record<Agreement, string>> = {
  same: 'agreed',
  close: 'nearly agreed',
  different: 'differed',
};

const SIGNALS: Readonly<Record<SignalName, string>> = {
  model: 'model',
  screen: 'screen',
  osVersion: 'system version',
  language: 'language',
  timezone: 'time zone',
};

function details({ comparison, ageSeconds }: ScoredCandidate, crowd: number): string {
  const compared = (['same', 'close', 'different'] as const).flatMap((agreement) => {
    const names = Object.entries(SIGNALS).flatMap(([name, text]) =>
      comparison[name as SignalName] === agreement ? [text] : [],
    );
    return names.length === 0 ? [] : `its ${listed(names)} ${AGREEMENTS[agreement]}`;
  });
  return listed([
    ...(compared.length === 0 ? ['it has no signal in common with the app'] : compared),
    `it was ${ageText(ageSeconds)} old`,
    ...(crowd >= 1.5 ? [`about ${Math.round(crowd)} devices share the address`] : []),
  ]);
}

function listed(parts: readonly string[]): string {
  const [last = '', ...others] = parts.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

/** Negative if the clock of another machine is ahead. */
function ageText(ageSeconds: number): string {
  const ageMs = Math.max(0, ageSeconds) * SECOND_MS;
  if (ageMs < MINUTE_MS) return count(Math.round(ageMs / SECOND_MS), 'second');
  if (ageMs < HOUR_MS) return count(Math.round(ageMs / MINUTE_MS), 'minute');
  return count(Math.round(ageMs / HOUR_MS), 'hour');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
