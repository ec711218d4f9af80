import { sharedHostsOf } from '../../apps/index.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { OutgoingError } from '../../lib/outgoing/index.ts';
import { send } from '../simulate/http.ts';
import { findRunning } from '../simulate/setup.ts';
import type { CheckDeps } from './check-link.ts';
import type { NewService } from './new-answer.ts';

/**
 * The service that runs on `DATA_DIR`.
 * @throws StartError if none runs, or it has no app with this host.
 */
export async function findService(config: Config, host: string): Promise<NewService> {
  const { url, adminToken } = await findRunning(config);
  const headers = { authorization: `Bearer ${adminToken}` };
  const { status, text } = await send(url, { method: 'GET', path: '/v1/admin/apps', headers });
  if (status !== 200) return serviceAt(url, host);
  const apps = JSON.parse(text) as AppSettings[];
  const name = new URL(`https://${host}`).hostname;
  const app = apps.find(({ shortLinkHost }) => shortLinkHost === name);
  if (app === undefined && !sharedHostsOf(config).includes(name))
    throw new StartError(
      `No app has the host ${name}. Set it with “throughline apps update APP_ID shortLinkHost=${name}”, and run this again.`,
    );
  return serviceAt(url, host, app);
}

type AppSettings = Readonly<Record<'shortLinkHost' | 'notFoundUrl', string | null>>;

/** @param app null where its settings are not known. */
export function serviceAt(url: string, host: string, app: AppSettings | null = null): NewService {
  return {
    url,
    host,
    notFoundUrl: app?.notFoundUrl ?? null,
  };
}

const DOCUMENT_START_BYTES = 4_096;

/** @throws StartError if the old address leads to this service already: everything would be equal. */
export async function refuseOwnAnswers(
  { outgoing, pace, signal }: Pick<CheckDeps, 'outgoing' | 'pace' | 'signal'>,
  oldAddress: string,
): Promise<void> {
  const { origin, host } = new URL(oldAddress);
  const request = { headers: {}, timeoutMs: 10_000, maxResponseBytes: DOCUMENT_START_BYTES, signal };
  await pace.turn(signal);
  const response = await outgoing.read('GET', `${origin}/openapi.json`, request).catch((error: unknown) => {
    if (error instanceof OutgoingError) return null;
    throw error;
  });
  if (response?.status === 200 && /"title":\s*"Throughline"/.test(response.body))
    throw new StartError(
      `${host} leads to Throughline already, so there is nothing to compare. If the old service still answers elsewhere, name that with --old-base, such as its own host for your links; else use --against-file.`,
    );
}
