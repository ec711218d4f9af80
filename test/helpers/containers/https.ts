/** Calls over HTTPS that check the certificate against the authority that Caddy made for localhost. */
import { Agent, fetch as fetchWith } from 'undici';

export type Call = (path: string, init?: RequestInit) => Promise<Response>;

export function httpsCaller(port: number, authority: string): Call {
  const dispatcher = new Agent({ connect: { ca: authority } });
  return async (path, init) =>
    (await fetchWith(`https://localhost:${port}${path}`, {
      ...(init as object),
      dispatcher,
    })) as unknown as Response;
}
