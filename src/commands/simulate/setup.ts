/** Prepares a run: the running server, an app with keys, local addresses. */
import { randomInt } from 'node:crypto';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { isoTime, systemClock } from '../../lib/clock.ts';
import { findServer } from '../../lib/data-dir/index.ts';
import { reasonOf, type Server, send } from './http.ts';

interface SimulationApp {
  readonly appId: string;
  readonly secretKey: string;
  readonly sdkKey: string;
  revokeKeys(): Promise<void>;
}

interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

/** @throws StartError if no server runs or responds. */
export async function findRunning(config: Config): Promise<{ url: string; adminToken: string }> {
  const found = findServer(config);
  if (found === null)
    throw new StartError(
      `No server runs on DATA_DIR ${config.dataDir}. Start one with “npm start”, then run this again.`,
    );
  await send(found.url, { method: 'GET', path: '/healthz' }).catch((error: Error) => {
    throw new StartError(
      `No server responds at ${found.url} (${reasonOf(error)}). Start it with “npm start”, then run this again.`,
    );
  });
  return found;
}

/** Creates keys and, unless one is given, the app. A given app gets test keys, so that all records are sandbox ones. */
export async function prepareApp(
  server: Server,
  adminToken: string,
  givenAppId: string | null,
): Promise<SimulationApp> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const post = async <Body>(action: string, path: string, body: object): Promise<Body> =>
    JSON.parse((await server.expect(action, { method: 'POST', path, headers, body }, 201)).text) as Body;

  const name = `Simulation ${isoTime(systemClock.nowMs()).slice(0, 19).replace('T', ' ')}`;
  const appId = givenAppId ?? (await post<{ id: string }>('creating an app', '/v1/admin/apps', { name })).id;
  const path = `/v1/admin/apps/${encodeURIComponent(appId)}/keys`;
  const mode = givenAppId === null ? 'live' : 'test';
  const secret = await post<CreatedKey>('creating a key', path, { kind: mode });
  const sdk = await post<CreatedKey>('creating a key', path, { kind: `${mode}_publishable` });
  return {
    appId,
    secretKey: secret.key,
    sdkKey: sdk.key,
    async revokeKeys() {
      for (const { id } of [secret, sdk])
        await server.expect('revoking a key', { method: 'DELETE', path: `${path}/${id}`, headers }, 204);
    },
  };
}

/** Maps an index to a local address: anywhere in 127.0.0.0/8 on Linux; null on macOS, which binds 127.0.0.1 only. */
export async function findAddresses(url: string): Promise<((index: number) => string) | null> {
  // A random block for each run, because clicks of earlier runs in the same app can match.
  const start = randomInt(1 << 16, (1 << 24) - (1 << 13));
  const addressAt = (index: number) => {
    const number = start + index;
    return `127.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  };
  const isUsable = await send(url, { method: 'GET', path: '/healthz', from: addressAt(0) }).then(
    ({ status }) => status === 200,
    () => false,
  );
  return isUsable ? addressAt : null;
}
