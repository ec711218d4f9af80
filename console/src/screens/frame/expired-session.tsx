import { useSyncExternalStore } from 'react';
import { isExpired, onExpired } from '../../api/expired-session.ts';
import { lateDialog } from '../../components/late-dialog.tsx';

const SignInAgain = lateDialog(async () => (await import('./sign-in-again.tsx')).SignInAgain);

/** Asks for the password above the page, so that nothing typed is lost; then the waiting calls go on. */
export function ExpiredSession({ email }: { email: string }) {
  const isOpen = useSyncExternalStore(onExpired, isExpired);
  return <SignInAgain email={email} isOpen={isOpen} />;
}
