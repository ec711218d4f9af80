import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openService, type Service } from '../app.ts';
import { COMMAND_LINE_AGENT } from '../auth/actor.ts';
import { type Config, readConfig } from '../config.ts';
import { StartError } from '../errors.ts';
import { DataDirInUse, findServer } from '../lib/data-dir/index.ts';
import { createLog } from '../lib/log.ts';
import { requireExistingData, withDataDir } from './existing-data.ts';

/** Calls `/v1/admin`. Returns the response body. @throws StartError with the text of an error response. */
type AdminCall = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<unknown>;

/** Reads the body of a list as it arrives. @throws StartError for an error response, and for a body that ends early. */
type AdminStream = (path: string, mediaType: string) => AsyncGenerator<Uint8Array>;

/** Sends a file as it is read. Returns the response body. @throws StartError as `AdminCall`. */
type AdminUpload = (
  path: string,
  upload: { readonly file: Readable; readonly bytes: number; readonly contentType: string },
) => Promise<unknown>;

export interface AdminCalls {
  readonly call: AdminCall;
  readonly stream: AdminStream;
  readonly upload: AdminUpload;
}

/** Path below `/v1/admin`. */
export function appPath(appId: string): string {
  return `/apps/${encodeURIComponent(appId)}`;
}

const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Runs `work` against the admin API: over HTTP if a server holds the data directory, else of a service in this process.
 * @param options `mayCreateData`: allow an empty data directory or database; otherwise it is refused as a likely mistake.
 */
export async function withAdmin<T>(
  work: (call: AdminCall, stream: AdminStream, upload: AdminUpload) => Promise<T>,
  { mayCreateData = false } = {},
): Promise<T> {
  const config = readConfig(process.env);
  if (!mayCreateData) await requireExistingData(config);
  return await withDataDir(config, async (usable) => {
    const service = await openLocalService(usable);
    if (service === null) {
      const server = requireServer(usable);
      return await work(httpCaller(server), httpStream(server), httpUpload(server));
    }
    try {
      return await work(localCaller(service), localStream(service), localUpload(service));
    } finally {
      await service.close();
    }
  });
}

/** Null when another process holds the data directory. */
async function openLocalService(config: Config): Promise<Service | null> {
  const log = createLog('warn', { to: 'stderr' });
  try {
    return await openService(config, {
      log,
      onDeath: (cause) => log.fatal({ err: cause }, 'Failed to write to storage'),
    });
  } catch (error) {
    if (error instanceof DataDirInUse) return null;
    throw error;
  }
}

function headersOf({ adminToken }: { readonly adminToken: string }) {
  return { authorization: `Bearer ${adminToken}`, 'user-agent': COMMAND_LINE_AGENT };
}

function localCaller({ api, dataDir }: Service): AdminCall {
  return async (method, path, body) => {
    const headers = headersOf(dataDir);
    const response = await api.inject({
      method,
      url: `/v1/admin${path}`,
      headers,
      ...(body && { payload: body }),
    });
    return readBody(response.statusCode, response.body, 'this process');
  };
}

function localStream({ api, dataDir }: Service): AdminStream {
  return async function* (path, mediaType) {
    const headers = { ...headersOf(dataDir), accept: mediaType };
    const response = await api.inject({ url: `/v1/admin${path}`, headers, payloadAsStream: true });
    yield* readStream(response.statusCode, response.stream(), 'this process');
  };
}

function localUpload({ api, dataDir }: Service): AdminUpload {
  return async (path, { file, bytes, contentType }) => {
    const headers = { ...headersOf(dataDir), 'content-type': contentType, 'content-length': `${bytes}` };
    const url = `/v1/admin${path}`;
    const response = await api.inject({ method: 'POST', url, headers, payload: file });
    return readBody(response.statusCode, response.body, 'this process');
  };
}

type RunningServer = NonNullable<ReturnType<typeof findServer>>;

function requireServer(config: Config): RunningServer {
  const server = findServer(config);
  if (server === null)
    throw new StartError(
      `Another process holds ${config.dataDir} but does not accept requests yet. Try again in a moment.`,
      { mayPass: true },
    );
  return server;
}

function httpCaller(server: RunningServer): AdminCall {
  return async (method, path, body) => {
    const response = await fetch(`${server.url}/v1/admin${path}`, {
      method,
      headers: {
        ...headersOf(server),
        ...(body && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => throwUnreachable(server, error));
    return readBody(response.status, await response.text(), `the server at ${server.url}`);
  };
}

function httpStream(server: RunningServer): AdminStream {
  return async function* (path, mediaType) {
    const headers = { ...headersOf(server), accept: mediaType };
    const response = await fetch(`${server.url}/v1/admin${path}`, { headers }).catch((error: unknown) =>
      throwUnreachable(server, error),
    );
    yield* readStream(response.status, response.body ?? Readable.from([]), `the server at ${server.url}`);
  };
}

function httpUpload(server: RunningServer): AdminUpload {
  return async (path, { file, bytes, contentType }) => {
    const response = await fetch(`${server.url}/v1/admin${path}`, {
      method: 'POST',
      headers: { ...headersOf(server), 'content-type': contentType, 'content-length': `${bytes}` },
      body: file,
      duplex: 'half',
    }).catch((error: unknown) => throwUnreachable(server, error));
    return readBody(response.status, await response.text(), `the server at ${server.url}`);
  };
}

function throwUnreachable({ url }: RunningServer, error: unknown): never {
  const { message, cause } = error as Error;
  const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
  throw new StartError(
    `The server at ${url} does not respond: ${why}. Start it, or see its log, and run the command again.`,
    // It may be about to stop, or start again.
    { mayPass: true },
  );
}

async function* readStream(
  status: number,
  body: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Uint8Array> {
  if (status >= 400) {
    readBody(status, await text(body), source);
    return;
  }
  try {
    yield* body;
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new StartError(
      `The response from ${source} ended before its last record: ${why}. See the log of the service, and run the command again.`,
    );
  }
}

function readBody(status: number, json: string, source: string): unknown {
  const body = parseJson(json);
  if (status < 400 && body !== undefined) return body;
  if (status === 401)
    throw new StartError(
      `The admin token is not that of ${source}: the file admin-token in DATA_DIR, or ADMIN_TOKEN, has changed since it started. Restart the service, or set its ADMIN_TOKEN here.`,
    );
  const { error } = (body ?? {}) as { error?: unknown };
  throw new StartError(
    typeof error === 'string'
      ? withCommandNames(error)
      : `The response from ${source} is not from Throughline (status ${status}). Check which program listens there, or restart the service.`,
  );
}

/** Returns undefined for invalid JSON. */
function parseJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces the endpoints in an API error by the commands for the terminal. */
function withCommandNames(error: string): string {
  return error
    .replace(
      'GET /v1/keys, or as an operator with GET /v1/admin/apps/{appId}/keys',
      '“throughline keys list APP_ID”',
    )
    .replace('GET /v1/admin/apps', '“throughline apps list”');
}
