/** Calls of the service with the session's cookie. */
import { type Client, createClient } from '@generated/client/index.ts';
import { ApiError, noAnswer, refuse } from './error.ts';
import { signedInAgain } from './expired-session.ts';

/** Address of the service, below whose path the console is; ends with a slash. */
export const SERVICE_URL = new URL('..', document.baseURI).href;

const baseUrl = SERVICE_URL.replace(/\/$/, '');

/** For calls before an app is chosen. Their 401 is an answer, not the end of the session. */
export const account: Client = createClient({ baseUrl, throwOnError: true, fetch: send });

const clients = new Map<string, Client>();

/** For calls about one app. After the end of the session they wait until the user has signed in again. */
export function clientOf(appId: string): Client {
  const known = clients.get(appId);
  if (known !== undefined) return known;
  const headers = { 'X-App-Id': appId };
  const client = createClient({ baseUrl, throwOnError: true, headers, fetch: sendInSession });
  clients.set(appId, client);
  return client;
}

async function sendInSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const copy = request.clone();
  try {
    return await send(request);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    await signedInAgain();
    return await send(copy);
  }
}

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  let response: Response;
  try {
    response = await fetch(request);
  } catch {
    request.signal.throwIfAborted();
    throw noAnswer();
  }
  return response.ok ? response : await refuse(response);
}
