import { faultOfText } from './event.ts';
import type { Session } from './session.ts';

/** @returns whether there is something to send. */
export function setUser({ state, consent, save, log }: Session, userId: string): boolean {
  const fault = faultOfText('a user ID', userId);
  if (fault !== null) log('error', `identify was ignored: ${fault}`);
  if (fault !== null || consent() === 'denied' || state.isErased || state.user === userId) return false;
  Object.assign(state, { user: userId, userToSend: userId });
  save();
  return true;
}
