/** What a run needs before anybody comes: the server that runs, an app with keys, addresses to come from. */
import { randomInt } from 'node:crypto';
import { isoTime, systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { findServer } from '../../platform/data-dir/index.ts';
import { StartError } from '../../platform/errors.ts';
import { reasonOf, type Server, send } from './http.ts';

interface Stage {
  readonly appId: string;
  readonly secretKey: string;
  readonly sdkKey: string;
  /** Revokes the keys. */
  clear(): Promise<void>;
}

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

/** @throws StartError when nobody serves, or answers. */
export async function findRunning(config: Config): Promise<{ url: string; adminToken: string }> {
  const found = findServer(config);
  if (found === null)
    throw new StartError(
      `No server runs on DATA_DIR ${config.dataDir}. Start one with “npm start”, then run this again.`,
    );
  await send(found.url, { method: 'GET', path: '/healthz' }).catch((error: Error) => {
    throw new StartError(
      `No server answers at ${found.url} (${reasonOf(error)}). Start it with “npm start”, then run this again.`,
    );
  });
  return found;
}

/** Makes the keys and, unless one is given, the app. In a given app all is sandbox, apart from what real people do. */
export async function setStage(
  server: Server,
  adminToken: string,
  givenAppId: string | null,
): Promise<Stage> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const post = async <Body>(what: string, path: string, body: object): Promise<Body> =>
    JSON.parse((await server.ask(what, { method: 'POST', path, headers, body }, 201)).text) as Body;

  const name = `Simulation ${isoTime(systemClock.nowMs()).slice(0, 19).replace('T', ' ')}`;
  const appId = givenAppId ?? (await post<{ id: string }>('making an app', '/v1/admin/apps', { name })).id;
  const path = `/v1/admin/apps/${encodeURIComponent(appId)}/keys`;
  const mode = givenAppId === null ? 'live' : 'test';
  const secret = await post<MadeKey>('making a key', path, { kind: mode });
  const sdk = await post<MadeKey>('making a key', path, { kind: `${mode}_publishable` });
  return {
    appId,
    secretKey: secret.key,
    sdkKey: sdk.key,
    async clear() {
      for (const { id } of [secret, sdk])
        await server.ask('revoking a key', { method: 'DELETE', path: `${path}/${id}`, headers }, 204);
    },
  };
}

/**
 * Gives each place an address; null where the machine lends none. Linux lets a process connect from anywhere in
 * 127.0.0.0/8, macOS from 127.0.0.1 only.
 */
export async function findAddresses(url: string): Promise<((place: number) => string) | null> {
  // A block of its own for each run: earlier runs in the same app leave clicks behind.
  const start = randomInt(1 << 16, (1 << 24) - (1 << 13));
  const addressAt = (place: number) => {
    const number = start + place;
    return `127.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  };
  const isLent = await send(url, { method: 'GET', path: '/healthz', from: addressAt(0) }).then(
    ({ status }) => status === 200,
    () => false,
  );
  return isLent ? addressAt : null;
}
