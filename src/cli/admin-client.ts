import { openService, type Service } from '../app.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { DataDirTaken, findServer } from '../platform/data-dir/index.ts';
import { StartError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { refuseWithoutData, withDataDir } from './existing-data.ts';

/** Calls `/v1/admin`; the answer's body, or a StartError with the error's text. */
type AdminCall = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<unknown>;

/** A server that is there answers at once, unless something holds it. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Does `work` through the admin API: of the running server where one holds the data directory, else of one that is
 * assembled in this process and never listens.
 * @param options `mayMakeData`: where nothing is stored yet it may begin; else that is refused, since it is a wrong
 * folder or the wrong database.
 */
export async function withAdmin<T>(
  work: (call: AdminCall) => Promise<T>,
  { mayMakeData = false } = {},
): Promise<T> {
  const config = readConfig(process.env);
  if (!mayMakeData) await refuseWithoutData(config);
  return await withDataDir(config, async (usable) => {
    const service = await openHere(usable);
    if (service === null) return await work(callServer(usable));
    try {
      return await work(callHere(service));
    } finally {
      await service.close();
    }
  });
}

/** Null when another process holds the data directory. */
async function openHere(config: Config): Promise<Service | null> {
  const log = createLog('warn', 'stderr');
  try {
    return await openService(config, {
      log,
      onDeath: (cause) => log.fatal({ err: cause }, 'storing failed'),
    });
  } catch (error) {
    if (error instanceof DataDirTaken) return null;
    throw error;
  }
}

function callHere({ api, dataDir }: Service): AdminCall {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${dataDir.adminToken}` };
    const answer = await api.inject({
      method,
      url: `/v1/admin${path}`,
      headers,
      ...(body && { payload: body }),
    });
    return read(answer.statusCode, answer.body, 'this process');
  };
}

function callServer(config: Config): AdminCall {
  const server = findServer(config);
  if (server === null)
    throw new StartError(
      `Another process holds ${config.dataDir} and serves nobody yet. Try again in a moment.`,
    );
  return async (method, path, body) => {
    const answer = await fetch(`${server.url}/v1/admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server.adminToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new StartError(`The server at ${server.url} does not answer: ${(error as Error).message}.`);
    });
    return read(answer.status, await answer.text(), server.url);
  };
}

function read(status: number, text: string, by: string): unknown {
  const body = parse(text);
  if (status < 400 && body !== undefined) return body;
  const { error } = (body ?? {}) as { error?: unknown };
  throw new StartError(
    typeof error === 'string'
      ? inCommands(error)
      : `What answers at ${by} is no Throughline (${status}). See what listens there, or start the service anew.`,
  );
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The API's advice, for somebody at a terminal. */
function inCommands(error: string): string {
  return error
    .replace('GET /v1/admin/apps/{appId}/keys', '“throughline keys list APP_ID”')
    .replace('GET /v1/admin/apps', '“throughline apps list”');
}
