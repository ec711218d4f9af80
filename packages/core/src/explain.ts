import { isObject, text } from './answers.ts';
import { forVersion } from './app-version.ts';
import type { Session } from './session.ts';
import type { Explanation } from './types.ts';

/** Why the install matched a click or not, or why the client does not know. */
export async function explain(
  session: Session,
  { queuedEvents, ...problems }: Problems & { queuedEvents: number },
): Promise<Explanation> {
  const { installId, droppedEvents } = session.state;
  const firstOpen = session.state.firstOpen && (await forVersion(session.state.firstOpen, session));
  const consent = session.consent();
  return {
    installId,
    firstOpen,
    consent,
    ...(await reasonOf(session, problems)),
    queuedEvents,
    droppedEvents,
  };
}

interface Problems {
  readonly isTest: boolean;
  readonly refusal: string | null;
  readonly storage: string | null;
}

async function reasonOf(
  session: Session,
  { isTest, ...problems }: Problems,
): Promise<Pick<Explanation, 'reason' | 'trace'>> {
  const { state, call } = session;
  const because = (reason: string) => ({ reason, trace: null });
  const hindrance = hindranceOf(session, problems);
  if (hindrance !== null) return because(hindrance.reason);
  if (!isTest) return because('Only installs of test keys are explained.');
  const answer = await call('GET', `/v1/sdk/installs/${state.installId}/explanation`);
  if (answer.outcome !== 'ok') return because(answer.reason);
  const { reason, explanation } = answer.body;
  return { reason: text(reason) ?? '', trace: isObject(explanation) ? explanation : null };
}

/** Why the service has not recorded the install, or is not asked about it; null if it has. */
export function hindranceOf(
  { state, consent, isLoaded }: Session,
  { refusal, storage }: Pick<Problems, 'refusal' | 'storage'>,
): { readonly code: string; readonly reason: string } | null {
  const because = (code: string, reason: string) => ({ code, reason });
  if (state.isErased)
    return because(
      'install.erased',
      'The install was erased on purpose: nothing is recorded before reset().',
    );
  if (consent() === 'denied')
    return because('consent.denied', 'Consent is denied: nothing is recorded before setConsent().');
  if (consent() === 'pending')
    return because('consent.pending', 'Consent is pending: nothing is sent before setConsent().');
  if (!isLoaded())
    return because(
      'storage.unavailable',
      `Nothing is recorded: ${storage ?? 'the storage has not answered yet'}.`,
    );
  if (refusal !== null) return because('key.refused', `The service refuses the key (401): ${refusal}`);
  if (state.firstOpen === null || state.isLost)
    return because('install.pending', 'The service has not answered yet.');
  return null;
}
