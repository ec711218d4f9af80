/** What became of a batch of records, as the log says it. Pure. */
import type { DestinationDelivery } from '@generated/types.gen.ts';
import { formatMoment, plural } from '../../formats.ts';

interface Reason {
  readonly reason: string;
  readonly records: number;
  readonly example?: { readonly kind: 'install' | 'open' | 'event'; readonly id: string };
}

type Details =
  | { readonly reasons: readonly Reason[]; readonly otherReasons: number }
  | { readonly text: string };

/** The reasons for single records, or the start of the network's answer. */
export function readDetails(details: string): Details {
  try {
    const { reasons, otherReasons } = JSON.parse(details) as { reasons: Reason[]; otherReasons: number };
    if (Array.isArray(reasons)) return { reasons, otherReasons };
  } catch {}
  return { text: details };
}

/** In one line; what is bad was not accepted. */
export function stateOf(delivery: DestinationDelivery): { readonly text: string; readonly isBad: boolean } {
  const { test, success, summary, records, nextAttemptAt, givenUp, attemptNumber } = delivery;
  const what = summary?.replace(/^Records: /, '') ?? `${plural(records.length, 'record')} accepted.`;
  const said = sentence(test ? `Test: ${what}` : what);
  const isBad = !success || /\brefused\b/.test(what);
  if (success || test) return { text: said, isBad };
  if (givenUp) return { text: `${said} Given up after attempt ${attemptNumber}.`, isBad };
  if (nextAttemptAt === null) return { text: said, isBad };
  const when =
    Date.parse(nextAttemptAt) > Date.now() ? formatMoment(nextAttemptAt, { seconds: false }) : 'now';
  return { text: `${said} Next attempt ${when}.`, isBad };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
