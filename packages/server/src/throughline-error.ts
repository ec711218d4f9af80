/** A failed call: the service refused it, or gave no usable answer. Expected failures differ by `code`. */
export class ThroughlineError extends Error {
  override readonly name = 'ThroughlineError';
  /**
   * The service's code, such as `link.not_found`. Without an answer `network.failed` or `network.timeout`; for an answer
   * of something else than the service, such as a proxy, `response.unexpected`.
   */
  readonly code: string;
  /** HTTP status, or null without an answer. */
  readonly status: number | null;
  /** `X-Request-Id` of the answer, by which the service's log names it. */
  readonly requestId: string | null;
  /** How long the service asks to wait, from `Retry-After`, or null. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    { cause, code, status = null, requestId = null, retryAfterMs = null }: ThroughlineErrorFields,
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

interface ThroughlineErrorFields {
  readonly code: string;
  readonly cause?: unknown;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
}
