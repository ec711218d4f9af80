/** Calls over HTTPS that check the certificate against the authority that Caddy made for localhost. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch as fetchWith } from 'undici';
import { waitFor } from '../wait-for.ts';
import type { Compose } from './compose.ts';

export type Call = (path: string, init?: RequestInit) => Promise<Response>;

function httpsCaller(port: number, authority: string): Call {
  const dispatcher = new Agent({ connect: { ca: authority } });
  return async (path, init) =>
    (await fetchWith(`https://localhost:${port}${path}`, {
      ...(init as object),
      dispatcher,
    })) as unknown as Response;
}

/**
 * Waits until Caddy has made its certificate and the service is ready.
 * @param folder for a copy of the certificate.
 */
export async function callerBehindCaddy(compose: Compose, port: number, folder: string): Promise<Call> {
  const copy = join(folder, 'root.crt');
  const authority = await waitFor('the certificate of Caddy', async () => {
    try {
      await compose('cp', 'caddy:/data/caddy/pki/authorities/local/root.crt', copy);
      return readFileSync(copy, 'utf8');
    } catch {
      return undefined;
    }
  });
  const call = httpsCaller(port, authority);
  const isReady = async () => ((await call('/readyz').catch(() => null))?.status === 200 ? true : undefined);
  await waitFor('readiness behind Caddy', isReady, { withinMs: 60_000 }).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await compose('logs')}`);
  });
  return call;
}
