/** iPhones take the association file from Apple, which keeps a copy, and for a while also that there was none. */
import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../../lib/clock.ts';
import type { Outgoing } from '../../lib/outgoing/index.ts';
import { oneLine, truncateWell } from '../../lib/text.ts';
import { type Outcome, ok, problem, unknown } from '../host.ts';
import { ask } from './ask.ts';
import { parse } from './association.ts';

/** Apple asks again within a day; some copies took longer. */
const OLD_COPY_MS = 2 * DAY_MS;
const REASON = 'apple-failure-reason';
const MAX_REASON_CHARACTERS = 200;

export interface AppleAnswer {
  readonly status: number;
  readonly body: string;
  readonly reason: string;
}

/** @param appleUrl without a slash at the end. @returns null if Apple did not answer. */
export async function readAppleCopy(
  outgoing: Pick<Outgoing, 'read'>,
  { appleUrl, host, maxBytes }: { appleUrl: string; host: string; maxBytes: number },
): Promise<AppleAnswer | null> {
  const answer = await ask(outgoing, `${appleUrl}/${host}`, { maxBytes, keepHeaders: [REASON] });
  if (answer === null) return null;
  const { status, body, headers } = answer;
  return { status, body, reason: truncateWell(oneLine(headers?.[REASON] ?? ''), MAX_REASON_CHARACTERS) };
}

/** @param expected the file that this service makes. */
export function judgeAppleCopy(answer: AppleAnswer | null, expected: Buffer): Outcome {
  if (answer === null) return unknown('Apple did not answer.');
  const { status, body, reason } = answer;
  if (status === 404)
    return problem(
      `Apple has no copy of the association file${reason === '' ? '' : `: ${reason}`}.`,
      'Apple has to reach the host from the internet, within some seconds, without a redirect or a bot check. It asks again by itself.',
      OLD_COPY_MS,
    );
  if (status !== 200) return unknown(`Apple answered with status ${status}.`);
  if (isDeepStrictEqual(parse(body), parse(expected.toString())))
    return ok('Apple’s copy is the file that is served.');
  return problem(
    'Apple’s copy differs from the file that is served: iPhones that install the app now get the old one.',
    'Apple asks again within a day or so. If that does not help, look whether a proxy or CDN gives Apple another file.',
    OLD_COPY_MS,
  );
}
