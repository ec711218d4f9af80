import { useState } from 'react';

const KEPT = 'throughline.invitation';

/** The token behind `#`, which no server and no log sees. */
export function useToken(): string {
  const [token] = useState(tokenInAddress);
  return token;
}

/** The token of an invitation, also after the way to the sign-in and back in this tab. */
export function useInvitationToken(): string {
  const [token] = useState(() => tokenInAddress() || (sessionStorage.getItem(KEPT) ?? ''));
  return token;
}

/** @param token of an invitation; null once it is used up. */
export function keepInvitation(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, token);
}

function tokenInAddress(): string {
  return window.location.hash.slice(1);
}
