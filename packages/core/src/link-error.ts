/**
 * Why `createLink` made no link. `code` is one of the service's (`app_links.off`, `rate.limited`, `request.invalid`, …) or
 * one of the phone's: `consent.denied`, `consent.pending`, `install.erased`, `install.pending`, `storage.unavailable`,
 * `key.refused`, `service.unreachable`, `client.ended`. The message says what to do.
 */
export class LinkError extends Error {
  readonly code: string;
  /** From when on another try may succeed, by the clock of the phone; null if no time is known. */
  readonly retryAt: Date | null;

  constructor(code: string, message: string, retryAt: Date | null = null) {
    super(message);
    this.name = 'LinkError';
    this.code = code;
    this.retryAt = retryAt;
  }
}
