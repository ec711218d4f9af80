/** Links that the app makes for a person to share. */
import { readCreatedLink } from './answers.ts';
import { hindranceOf } from './explain.ts';
import { type Answer, isFinal } from './http.ts';
import type { Install } from './install.ts';
import { LinkError } from './link-error.ts';
import { toFields } from './link-fields.ts';
import type { Session } from './session.ts';
import { inBackground, orAfter } from './timing.ts';
import type { CreatedLink, NewLink } from './types.ts';

/** The person holds the phone and waits. */
export const CREATE_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;
const FIRST_RETRY_MS = 1_000;
/** Those that no answer to the install mends. */
const AT_ONCE = ['install.erased', 'consent.denied', 'consent.pending', 'key.refused'];

interface Deps {
  readonly session: Session;
  readonly install: Install;
  readonly problems: { readonly refusal: string | null; readonly storage: string | null };
  readonly random: () => number;
  readonly timeoutMs: number;
  /** Resolves once the stored state is known, or after a while without it. */
  readonly ready: () => Promise<void>;
  /** Begins to send the install. */
  readonly wake: () => void;
}

/** @throws LinkError */
export async function createLink(link: NewLink, deps: Deps): Promise<CreatedLink> {
  const { session, timeoutMs } = deps;
  const fields = toFields(link);
  const endsAt = session.uptime() + timeoutMs;
  let last: LinkError | null = null;
  let isLate = false;

  async function make(): Promise<CreatedLink> {
    let wasLost = false;
    for (let failures = 0; ; ) {
      await recorded(deps);
      // Nobody waits for the link any more.
      if (isLate) throw ended();
      if (hindranceNow(deps) !== null) continue;
      const body = `{"installId":${JSON.stringify(session.state.installId)}${fields}}`;
      session.log('debug', `Asking for a link to ${link.deepLinkPath}`);
      const answer = await session.call('POST', '/v1/sdk/links', body);
      if (!session.isOpen()) throw ended();
      const created = answer.outcome === 'ok' ? readCreatedLink(answer.body) : null;
      if (created !== null) {
        deps.install.noteKnown();
        return created;
      }
      last = toError(answer, session.now());
      if (answer.outcome === 'refused') {
        if (wasLost || deps.install.takeRefusal(answer.code) === null) throw last;
        wasLost = true;
        continue;
      }
      const said = answer.outcome === 'later' ? answer.said : null;
      failures += 1;
      const backoffMs = FIRST_RETRY_MS * 2 ** (failures - 1) * (0.5 + deps.random());
      const waitMs = Math.max(backoffMs, said?.waitMs ?? 0);
      const isLast = failures === MAX_ATTEMPTS || session.uptime() + waitMs >= endsAt;
      if (isLast || (said !== null && isFinal(said.status))) throw last;
      await new Promise<void>((resolve) => inBackground(waitMs, resolve));
    }
  }

  return await orAfter(timeoutMs, make(), () => {
    isLate = true;
    return Promise.reject(last ?? lateError(deps));
  });
}

/** Resolves once the service knows the install. @throws LinkError if it will not. */
async function recorded(deps: Deps): Promise<void> {
  const { session, install } = deps;
  await deps.ready();
  for (;;) {
    if (!session.isOpen()) throw ended();
    const hindrance = hindranceNow(deps);
    if (hindrance === null) return;
    if (AT_ONCE.includes(hindrance.code)) throw new LinkError(hindrance.code, hindrance.reason);
    const { changed } = install;
    deps.wake();
    await changed;
  }
}

function ended(): LinkError {
  return new LinkError(
    'client.ended',
    'reset() or shutdown() ended the client meanwhile. Call createLink again.',
  );
}

/** The key may have been mended since the service refused it: a link of a known install is asked for. */
function hindranceNow({ session, problems: { refusal, storage } }: Deps): ReturnType<typeof hindranceOf> {
  const { firstOpen, isLost } = session.state;
  return hindranceOf(session, { storage, refusal: firstOpen === null || isLost ? refusal : null });
}

function lateError(deps: Deps): LinkError {
  const { timeoutMs } = deps;
  const hindrance = hindranceNow(deps);
  if (hindrance === null) return unreachable(`no answer within ${timeoutMs / 1_000} s`);
  const { code, reason } = hindrance;
  return new LinkError(
    code,
    code === 'install.pending'
      ? `The service has not recorded the install within ${timeoutMs / 1_000} s. Call createLink again when it can be reached.`
      : reason,
  );
}

function unreachable(reason: string): LinkError {
  return new LinkError(
    'service.unreachable',
    `The service was not reached: ${reason}. Call createLink again when the phone is online.`,
  );
}

function toError(answer: Answer, nowMs: number): LinkError {
  if (answer.outcome === 'ok') return unreachable('the answer is no link');
  if (answer.outcome === 'refused') return new LinkError(answer.code || 'request.invalid', answer.reason);
  const { said, reason } = answer;
  if (said === null) return unreachable(reason);
  const { status, code, error, waitMs } = said;
  const retryAt = waitMs > 0 ? new Date(nowMs + waitMs) : null;
  return new LinkError(status === 401 ? 'key.refused' : code || 'service.unreachable', error, retryAt);
}
