/** Tells a wrong address or key before any scenario runs: each would fail for this one reason. */
import type { Keys } from './service.ts';

const ANSWER_WITHIN_MS = 10_000;

/** Leaves nothing but a deleted link. @throws Error with one line that names the option. */
export async function checkService(url: URL, { liveKey, sdkKey }: Keys): Promise<void> {
  await ask(url, '--live-key', { path: '/v1/links?limit=1', key: liveKey });
  await ask(url, '--sdk-key', { path: '/v1/sdk/events', key: sdkKey, body: { events: [] } });
  if (!sdkKey.includes('_pub_'))
    throw new Error('--sdk-key is a secret key. Apps carry the publishable live key of the same app');
  const body = { deepLinkPath: '/' };
  const { shortCode } = JSON.parse(await ask(url, '--live-key', { path: '/v1/links', key: liveKey, body }));
  const resolved = ask(url, '--sdk-key', { path: '/v1/sdk/resolve', key: sdkKey, body: { shortCode } });
  const fault = await resolved.then(() => null, String);
  await ask(url, '--live-key', { path: `/v1/links/${shortCode}`, key: liveKey, method: 'DELETE' });
  if (fault?.includes('link.not_found'))
    throw new Error('--live-key and --sdk-key are of two apps. Take both from the app made for tests');
  if (fault !== null) throw new Error(fault);
}

interface Question {
  readonly path: string;
  readonly key: string;
  readonly method?: string;
  readonly body?: object;
}

/** @returns the JSON of the answer. */
async function ask(url: URL, option: string, { path, key, method, body }: Question): Promise<string> {
  const response = await fetch(new URL(url.pathname.replace(/\/$/, '') + path, url), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((cause: unknown) => {
    throw new Error(`No answer from ${url.origin}: ${textOf(cause)}. Check --service and the network`);
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (response.ok && (isJson || response.status === 204)) return text;
  const code = response.headers.get('x-service-error');
  if (code === null)
    throw new Error(
      `${url.origin} answered ${response.status}, but is no service of Throughline. Check --service`,
    );
  throw new Error(
    `The service refuses ${option} (${code}): ${(JSON.parse(text) as { error: string }).error}`,
  );
}

/** `fetch` wraps the error of the socket, and that of several addresses has no text. */
function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return `none within ${ANSWER_WITHIN_MS} ms`;
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.cause === undefined ? cause.message : textOf(cause.cause);
}
