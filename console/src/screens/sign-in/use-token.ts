import { useState } from 'react';

const KEPT = 'throughline.token';

/** The token behind `#`, which no server and no log sees; or that which `keepToken` kept. */
export function useToken(): string {
  const [token] = useState(() => {
    const given = window.location.hash.slice(1);
    return given === '' ? (sessionStorage.getItem(KEPT) ?? '') : given;
  });
  return token;
}

/** For the way to the sign-in and back, in this tab. @param token null when it is used up. */
export function keepToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, token);
}
