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

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(error instanceof Error ? error.message : String(error), 'console.failed');
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
