/** Any status, including 3xx, and the start of the body as text without NUL characters. */
export interface OutgoingResponse {
  readonly status: number;
  readonly body: string;
  /** The header `Retry-After`, if there is one; the first of several. */
  readonly retryAfter?: string;
  /** The header `Location`, as it came. */
  readonly location?: string;
  /** Those that the request asked to keep, in lower case; the first of several. */
  readonly headers?: Readonly<Record<string, string>>;
}

type OutgoingReason = 'refused_target' | 'dns' | 'connection' | 'tls' | 'timeout' | 'protocol';

/** The request got no complete response. Its message goes to the owner of the URL, so it contains no internal address. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly reason: OutgoingReason;
  /** What arrived of the response; null if its headers did not. */
  partial: OutgoingResponse | null = null;

  constructor(reason: OutgoingReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Drops the message and cause of the agent's error: they contain addresses. */
export function failureOf(error: Error): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const code = 'code' in error ? String(error.code) : '';
  const [reason, message] = KNOWN[code] ?? classify(code, error);
  return new OutgoingError(reason, message);
}

type Failure = readonly [OutgoingReason, message: string];

/** A machine answered, unlike in other failures to connect. */
export const CONNECTION_REFUSED = 'The connection was refused.';
const RESET: Failure = ['connection', 'The connection was reset before the response was complete.'];
const CLOSED: Failure = ['connection', 'The connection was closed before the response was complete.'];
const UNREACHABLE: Failure = ['connection', 'The host is unreachable.'];
const CONNECT_TIMEOUT: Failure = ['timeout', 'The host did not accept the connection in time.'];
const NOT_HTTP: Failure = ['protocol', 'The response is not valid HTTP.'];
const SELF_SIGNED: Failure = ['tls', 'The certificate is not valid: it is self-signed.'];
const UNKNOWN_ISSUER: Failure = [
  'tls',
  'The certificate is not valid: its issuer is unknown, or the server omits an intermediate certificate.',
];

const KNOWN: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: ['connection', CONNECTION_REFUSED],
  ECONNRESET: RESET,
  EPIPE: RESET,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: CONNECT_TIMEOUT,
  UND_ERR_CONNECT_TIMEOUT: CONNECT_TIMEOUT,
  UND_ERR_HEADERS_OVERFLOW: ['protocol', 'The response headers are too large.'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: ['tls', 'The certificate is not valid: it has expired.'],
  CERT_NOT_YET_VALID: ['tls', 'The certificate is not valid: it is not valid yet.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'The certificate is not valid: it is for another name.'],
};

function classify(code: string, { name, message }: Error): Failure {
  if (name === 'HTTPParserError') return NOT_HTTP;
  if (code === 'UND_ERR_SOCKET') return message.startsWith('bad ') ? NOT_HTTP : CLOSED;
  if (/CERT|CRL|^INVALID_|HOSTNAME/.test(code)) return ['tls', 'The certificate is not valid.'];
  if (/SSL|TLS|EPROTO/.test(code)) return ['tls', 'The TLS handshake failed.'];
  return ['connection', 'The connection failed.'];
}
