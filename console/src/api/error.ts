/** A call that the service refused, or did not answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Of `X-Service-Error`, such as `link.not_found`; `network.failed` without an answer. */
  readonly code: string;
  readonly status: number | null;
  readonly requestId: string | null;

  constructor(message: string, code: string, status: number | null = null, requestId: string | null = null) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

export function noAnswer(): ApiError {
  return new ApiError(
    'The service cannot be reached. Check your network, then try again. If others have no answer either, tell the operator of the service.',
    'network.failed',
  );
}

/** What browsers say of a screen whose code does not load, and of an answer that breaks off. */
const NO_CODE = /module script|imported module/i;
const BROKEN_OFF = /fetch|network|load failed/i;

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (NO_CODE.test(message))
    return new ApiError(
      'This part of the console could not be loaded. Check your network, then reload the page: an update of the service may have replaced it.',
      'console.not_loaded',
    );
  return error instanceof TypeError && BROKEN_OFF.test(message)
    ? noAnswer()
    : new ApiError(message, 'console.failed');
}

/** @throws ApiError of an answer that is not a success. */
export async function refuse(response: Response): Promise<never> {
  const text = await response.text();
  throw new ApiError(
    messageOf(text) ?? `The answer has status ${response.status}. Check the proxies before the service.`,
    response.headers.get('X-Service-Error') ?? 'response.unexpected',
    response.status,
    response.headers.get('X-Request-Id'),
  );
}

function messageOf(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {}
  return null;
}
