import { useState } from 'react';

/** The token behind `#`, which no server and no log sees. */
export function useToken(): string {
  const [token] = useState(() => window.location.hash.slice(1));
  return token;
}
