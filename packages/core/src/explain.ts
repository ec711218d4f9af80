import { isObject, text } from './answers.ts';
import type { Session } from './session.ts';
import type { Explanation } from './types.ts';

/** Why the install matched a click or not, or why the client does not know. */
export async function explain(
  session: Session,
  { queuedEvents, ...problems }: Problems & { queuedEvents: number },
): Promise<Explanation> {
  const { installId, firstOpen, droppedEvents } = session.state;
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
  { isTest, refusal, storage }: Problems,
): Promise<Pick<Explanation, 'reason' | 'trace'>> {
  const { state, call, consent, isLoaded } = session;
  const because = (reason: string) => ({ reason, trace: null });
  if (state.isErased)
    return because('The install was erased on purpose: nothing is recorded before reset().');
  if (consent() === 'denied') return because('Consent is denied: nothing is recorded.');
  if (consent() === 'pending') return because('Consent is pending: nothing is sent before setConsent().');
  if (!isLoaded()) return because(`Nothing is recorded: ${storage ?? 'the storage has not answered yet'}.`);
  if (refusal !== null) return because(`The service refuses the key (401): ${refusal}`);
  if (state.firstOpen === null) return because('The service has not answered yet.');
  if (!isTest) return because('Only installs of test keys are explained.');
  const answer = await call('GET', `/v1/sdk/installs/${state.installId}/explanation`);
  if (answer.outcome !== 'ok') return because(answer.reason);
  const { reason, explanation } = answer.body;
  return { reason: text(reason) ?? '', trace: isObject(explanation) ? explanation : null };
}
