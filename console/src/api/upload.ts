import { SERVICE_URL } from './client.ts';
import { ApiError, noAnswer, refuse } from './error.ts';
import { signedInAgain } from './expired-session.ts';

interface Upload {
  readonly appId: string;
  /** Behind the address of the service: `v1/imports?source=csv`. */
  readonly path: string;
  readonly type: string;
  readonly file: Blob;
  readonly signal: AbortSignal;
  /** @param share from 0 to 1 */
  readonly onProgress: (share: number) => void;
}

/**
 * Sends a file, which the browser reads as it goes, and says how far it is: `fetch` does not.
 * After the end of the session it waits until the user has signed in again.
 */
export async function upload<T>(of: Upload): Promise<T> {
  await assertReadable(of.file);
  try {
    return await send<T>(of);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    await signedInAgain();
    return await send<T>(of);
  }
}

/** A file that was changed after it was chosen would look like a network that fails. */
async function assertReadable(file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new ApiError(
      'The file was changed, moved or deleted after it was chosen. Choose it again.',
      'console.file_gone',
    );
  }
}

function send<T>({ appId, path, type, file, signal, onProgress }: Upload): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = new XMLHttpRequest();
  request.open('POST', `${SERVICE_URL}${path}`);
  request.setRequestHeader('X-App-Id', appId);
  request.setRequestHeader('Content-Type', type);
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded / Math.max(file.size, 1)));
  request.addEventListener('load', () => void answer(request).then((body) => resolve(body as T), reject));
  request.addEventListener('error', () => reject(noAnswer()));
  request.addEventListener('abort', () => reject(signal.reason));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  if (signal.aborted) reject(signal.reason);
  else request.send(file);
  return promise;
}

async function answer(request: XMLHttpRequest): Promise<unknown> {
  const { status, responseText } = request;
  if (status >= 200 && status < 300) return JSON.parse(responseText) as unknown;
  const headers = new Headers();
  for (const name of ['X-Service-Error', 'X-Request-Id']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  if (status === 413 && !headers.has('X-Service-Error'))
    throw new ApiError(
      'A proxy before the service refuses files of this size. Divide the file, or ask the operator to allow 50 MB.',
      'request.too_large',
      status,
    );
  return await refuse(new Response(responseText, { status, headers }));
}
