/** The decision in words. */
import { formatProbability } from '../../formats.ts';
import { comparedOf, type Rejection, type Trace } from './trace-types.ts';

/** Stands for a value until it is read: it has the height of one. */
export const NOT_READ = '…';

type Platform = 'IOS' | 'ANDROID';

const REASONS: Readonly<Record<string, string>> = {
  malformed: 'It is no click ID.',
  unknown: 'No click of this app has this ID.',
  not_claimable: 'A machine made it: a preview, a crawler or a prefetch. No person clicked.',
  sandbox: 'It is a sandbox link’s. Only debug builds claim those.',
  after_install_began: 'It came after Play began the installation.',
  token_expired: 'The token of the clipboard was older than an hour.',
  already_claimed: 'Another install has it.',
  other_platform: 'It is of another platform.',
  unknown_platform: 'Its client names no system.',
  other_model: 'It is of another model.',
  older_system: 'It is of a newer system than the install.',
  contradicts: 'Its phone differs in two signals or more.',
};

export function reasonText({ reason, method }: Rejection, { windowHours }: Trace): string {
  if (reason !== 'outside_window') return REASONS[reason] ?? reason;
  const hours =
    method === 'INSTALL_REFERRER'
      ? windowHours.referrer
      : method === 'CLICK_ID'
        ? windowHours.clickId
        : windowHours.fingerprint;
  return `It is older than ${hours} hours, as far as the app looks back.`;
}

export interface Attempt {
  readonly name: string;
  readonly text: string;
  readonly state: 'hit' | 'tried' | 'off';
}

/** The four methods in their order, each with its outcome. */
export function attemptsOf(trace: Trace, platform: Platform): Attempt[] {
  const { method } = trace;
  const isNamed = method === 'INSTALL_REFERRER' || method === 'CLICK_ID';
  return [
    {
      name: 'Install referrer',
      text: referrerText(trace, platform),
      state: stateOf(method === 'INSTALL_REFERRER'),
    },
    {
      name: 'Click ID',
      text: method === 'INSTALL_REFERRER' ? 'Not needed.' : clickIdText(trace),
      state: method === 'INSTALL_REFERRER' ? 'off' : stateOf(method === 'CLICK_ID'),
    },
    {
      name: 'Fingerprint',
      text: isNamed ? 'Not needed.' : fingerprintText(trace),
      state: isNamed ? 'off' : stateOf(method === 'FINGERPRINT'),
    },
    {
      name: 'Organic',
      text: method === 'ORGANIC' ? 'Better no link than the wrong one.' : 'Not needed.',
      state: method === 'ORGANIC' ? 'hit' : 'off',
    },
  ];
}

function stateOf(isHit: boolean): Attempt['state'] {
  return isHit ? 'hit' : 'tried';
}

function referrerText(trace: Trace, platform: Platform): string {
  if (trace.method === 'INSTALL_REFERRER') return 'Play named this click.';
  if (platform === 'IOS') return 'Only Play has one; this is an iPhone.';
  if (trace.referrer === 'none') return 'The app sent none.';
  if (trace.referrer === 'no_click_id') return 'It names no click.';
  return rejectionText(trace, 'INSTALL_REFERRER') ?? 'Its click cannot be claimed.';
}

function clickIdText(trace: Trace): string {
  if (trace.method === 'CLICK_ID') return 'The app passed that of this click.';
  return rejectionText(trace, 'CLICK_ID') ?? 'The app passed none.';
}

function rejectionText(trace: Trace, method: Rejection['method']): string | null {
  const rejection = trace.rejections.find((each) => each.method === method);
  return rejection === undefined ? null : reasonText(rejection, trace);
}

function fingerprintText(trace: Trace): string {
  const compared = comparedOf(trace);
  const needed = compared === null ? '' : formatProbability(compared.threshold);
  switch (trace.fingerprint.outcome) {
    case 'matched':
      return 'Click A fits, and no other comes near.';
    case 'ambiguous':
      return `Click A is not ${compared?.margin} times as likely as click B.`;
    case 'below_threshold':
      return `The likeliest click stays below ${needed}.`;
    case 'nothing_agrees':
      return 'Only the address is the same, and that is no evidence.';
    case 'deterministic_only':
      return 'The app allowed no comparison of phones.';
    case 'disabled':
      return 'It is switched off for this platform.';
    case 'no_address':
      return 'The address of the phone is not known.';
    case 'existing_user':
      return 'It is no new install, so nothing was compared.';
    default:
      return 'No click came from the same address.';
  }
}

/** One sentence for an install without a link. */
export function organicText(trace: Trace): string {
  switch (trace.fingerprint.outcome) {
    case 'ambiguous':
      return 'No link gets this install: two phones fit it about equally well.';
    case 'below_threshold':
      return 'No link gets this install: no click is likely enough.';
    case 'nothing_agrees':
      return 'No link gets this install: no click agrees in anything but the address.';
    case 'existing_user':
      return 'No link gets this install: the person had the app before its first version with the SDK.';
    default:
      return 'No link gets this install: no click fits.';
  }
}
