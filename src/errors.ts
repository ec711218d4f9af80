/**
 * All errors of the API: the code in the header `X-Service-Error`, which never changes its meaning, the status, and the
 * message in `{ "error": … }`, whose last sentence is the next step. `docs/reference/errors.md` lists the same codes.
 */
export const ERRORS = {
  'request.invalid': [400, 'Invalid request. Check its fields against the documentation.'],
  'request.invalid_json': [400, 'The body is invalid JSON. Send one JSON object, encoded as UTF-8.'],
  'request.invalid_text': [
    400,
    'A string contains a NUL character or a lone surrogate. Remove it and send again.',
  ],
  'request.too_deep': [400, 'The JSON is nested too deeply. Send at most 64 levels.'],
  'request.malformed': [400, 'Invalid HTTP request. Check the client, or the proxy in between.'],
  'key.missing': [401, 'The header X-Api-Key is missing. Send one of the app’s API keys in it.'],
  'key.invalid': [401, 'Invalid API key: it is unknown or revoked. Check it, or make a new one.'],
  'key.ended': [401, 'This API key has ended: it was rotated. Use the key that took its place.'],
  'key.mistyped': [401, 'Invalid API key: its length or checksum is wrong. Copy it again, whole.'],
  'key.wrong_region': [401, 'The API key belongs to another region. Use that region’s base address.'],
  'key.wrong_kind': [
    401,
    'This endpoint does not accept this kind of API key. Use a secret key, or a live or test one where the endpoint asks for it.',
  ],
  'session.missing': [401, 'There is no session, or it has ended. Sign in with POST /v1/session.'],
  'session.wrong_credentials': [401, 'The email or the password is wrong. Check both, and try again.'],
  'session.cross_site': [
    403,
    'A page of another origin made this request. Open the console at the address in PUBLIC_URL.',
  ],
  'role.too_low': [403, 'Your role in the app does not allow this. Ask an owner of the app.'],
  'password.wrong': [403, 'The current password is wrong. Check it, and try again.'],
  'setup.wrong_token': [
    403,
    'The set-up address is wrong, was used or has expired. Make a new one: npx throughline users setup.',
  ],
  'password_reset.wrong_token': [
    403,
    'The address for a new password is wrong, was used or is older than an hour. Ask for a new one with POST /v1/password-resets.',
  ],
  'admin.unauthorized': [
    401,
    'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>; for /v1/admin/*, an operator’s session will do.',
  ],
  'route.not_found': [
    404,
    'There is no such endpoint. Check the method and the path against GET /openapi.json.',
  ],
  'app_links.off': [
    403,
    'The app makes no links. Set enabled in the app’s setting appLinks, by PATCH /v1/admin/apps/{appId} or in the console.',
  ],
  'app.not_found': [404, 'There is no app with this id. List the apps with GET /v1/admin/apps.'],
  'key.not_found': [
    404,
    'There is no key with this id for this app. List its keys with GET /v1/keys, or as an operator with GET /v1/admin/apps/{appId}/keys.',
  ],
  'user.not_found': [404, 'There is no member with this id in this app. List them with GET /v1/users.'],
  'oidc.off': [404, 'This service has no OpenID Connect. Set OIDC_ISSUER, or sign in with a password.'],
  'mail.off': [
    404,
    'This service sends no mails. Set SMTP_URL, or make the address with npx throughline users setup.',
  ],
  'session.not_found': [404, 'You have no session with this id. List yours with GET /v1/sessions.'],
  'invitation.not_found': [
    404,
    'There is no such invitation: it was used or revoked, or is older than 7 days. Ask an owner of the app for a new one.',
  ],
  'link.not_found': [
    404,
    'There is no link with this short code, or it was deleted. Check the code and the key.',
  ],
  'install.not_found': [404, 'There is no install with this id. Record the install first, then send again.'],
  'install.erased': [
    404,
    'The install with this id was erased or deleted on purpose. Send nothing more for it, and do not record it again.',
  ],
  'record.not_found': [
    404,
    'There is no such record with this id, or it was erased. Check the id and the key; a test key sees sandbox records only.',
  ],
  'webhook.not_found': [404, 'There is no webhook with this id. List them with GET /v1/webhooks.'],
  'destination.not_found': [
    404,
    'There is no destination with this id. List them with GET /v1/destinations.',
  ],
  'delivery.not_found': [
    404,
    'There is no delivery record with this id. List them with GET /v1/webhooks/deliveries, or those of a destination with GET /v1/destinations/{id}/deliveries.',
  ],
  'import.not_found': [404, 'There is no import with this id. List them with GET /v1/imports.'],
  'cost.not_found': [404, 'There is no cost with this id. List them with GET /v1/costs.'],
  'erasure.not_found': [
    404,
    'There is no erasure request with this id. Check the id against the answer to POST /v1/privacy/erase.',
  ],
  'key.rotated': [
    409,
    'The key was rotated before, and another one has taken its place. Use that one, or change endsAt of this one.',
  ],
  'key.not_active': [409, 'The key was revoked or has ended. Make a new one, or choose an active one.'],
  'webhook.too_many': [409, 'An app has at most 100 webhooks. Remove one that is not needed any more.'],
  'destination.too_many': [
    409,
    'An app has at most 20 destinations, and 20 of test keys. Remove one that is not needed any more.',
  ],
  'destination.nothing_to_send': [
    409,
    'The app has no record that the destination would send. Record an install or event, or name another record.',
  ],
  'cost.too_many': [
    409,
    'An app has at most 200,000 costs. Remove some with DELETE /v1/costs and send again.',
  ],
  'webhook.disabled': [409, 'The webhook is disabled. Set enabled to true and send again.'],
  'destination.disabled': [409, 'The destination is disabled. Set enabled to true and send again.'],
  'delivery.erased': [409, 'The delivered data was erased or has expired. Choose another record.'],
  'import.running': [
    409,
    'An import of this app is running. Wait until its status in GET /v1/imports is no longer running.',
  ],
  'import.ended': [409, 'The import has ended already. Check how in GET /v1/imports/{id}.'],
  'link.path_taken': [409, 'This path is another link’s, or was a deleted link’s. Choose another one.'],
  'link.code_taken': [409, 'This short code is taken, or was used by a deleted link. Choose another one.'],
  'app.host_taken': [
    409,
    'Another app has this shortLinkHost. Choose another host name, or clear it there first.',
  ],
  'user.already_member': [
    409,
    'A member of the app has this email. Change the role with PATCH /v1/users/{id}.',
  ],
  'user.last_owner': [409, 'The app would have no owner. Make another member an owner first.'],
  'user.unproven_email': [
    409,
    'The user has not proven to have this email. Ask the user to sign in by OpenID Connect, or to open a mailed invitation or a mailed address for a new password.',
  ],
  'user.disabled': [403, 'This account is disabled. Ask an operator of the service to enable it.'],
  'user.last_operator': [409, 'The service would have no operator. Make another user one first.'],
  'invitation.too_many': [
    409,
    'The app has 500 open invitations. Remove one that is not needed any more, or wait until one ends.',
  ],
  'invitation.sign_in_first': [
    409,
    'A user with this email exists. Sign in, then open the invitation again.',
  ],
  'invitation.other_email': [
    409,
    'The invitation is for another email than yours. Sign out, then open the invitation again.',
  ],
  'idempotency.conflict': [
    409,
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  ],
  'retention.clocks_differ': [
    409,
    'The clock of this machine and the clock of the database differ by more than a day. Set the wrong clock, then confirm.',
  ],
  'record.id_taken': [409, 'This id belongs to another record. Make a new UUID.'],
  'postback.other_app': [
    409,
    'The postback belongs to another app: its App Store id differs. Set iosAppStoreId of the app, or send it with the other app’s key.',
  ],
  'signals.refused': [
    403,
    'These signals do not belong to this click. Send them from the page that the link was answered with.',
  ],
  'signals.settled': [
    409,
    'The click has signals already, or was claimed. Send the signals of another click, or none.',
  ],
  'signals.late': [410, 'The click is more than a minute old. Send signals as soon as the page opens.'],
  'link.expired': [
    410,
    'This link has expired. Set a later expiresAt or a new expiresInDays, or null for no end.',
  ],
  'request.too_large': [
    413,
    'The body exceeds 256 KiB, or 4 MiB for batches of /v1/sdk, 5 MiB for batches of links, 1 MiB for /v1/costs, 50 MB for /v1/imports, 32 KiB for /v1/debug/attribution, 16 KiB for a postback, 4 KiB for signals. Send less at once.',
  ],
  'request.not_json': [415, 'Send the body as JSON with Content-Type: application/json.'],
  'event.daily_limit': [
    429,
    'The daily event limit of the install, the address or the app is reached. Send the event again after Retry-After seconds.',
  ],
  'install.daily_limit': [
    429,
    'The daily limit of installs and opens of the address is reached. Send it again after Retry-After seconds.',
  ],
  'live.too_many': [429, 'The key has 5 open live streams, as many as it may. Try again after closing one.'],
  'rate.limited': [429, 'Too many requests. Wait as long as Retry-After says and try again.'],
  'request.headers_too_large': [431, 'The request headers are too large. Send less than 16 KiB of them.'],
  internal: [500, 'Internal error. Try again; if it persists, report the X-Request-Id.'],
  'postback.not_stored': [500, 'Failed to store the postback. Send it again later.'],
  'webhook.test_failed': [
    502,
    'The test delivery failed. Check the receiver and the url of the webhook and test again.',
  ],
  'destination.test_failed': [
    502,
    'The test was not accepted. Check the config of the destination and test again.',
  ],
  'mail.failed': [
    502,
    'The mail server did not accept the mail. Check SMTP_URL and MAIL_FROM against the log, and try again.',
  ],
  'database.unavailable': [
    503,
    'The database is unavailable or does not accept writes. Try again after Retry-After seconds.',
  ],
  'server.busy': [503, 'Too many request bodies in flight. Try again after Retry-After seconds.'],
  'clicks.behind': [503, 'Clicks are still being written. Try again after Retry-After seconds.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** For responses of 503. */
const RETRY_AFTER_SECONDS = 2;

/** An expected error, sent to the caller. Anything else that is thrown becomes `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Value of the `Retry-After` header. */
  readonly retryAfterSeconds: number | null;
  /** True if the thrower has logged it: the error handler does not log it again. */
  readonly isLogged: boolean;

  constructor(
    code: ErrorCode,
    detail?: { message?: string; retryAfterSeconds?: number; cause?: unknown; isLogged?: boolean },
  ) {
    const [status, message] = ERRORS[code];
    super(detail?.message ?? message, { cause: detail?.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = detail?.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : null);
    this.isLogged = detail?.isLogged ?? false;
  }
}

/** An error of the set-up: the process prints one line, without a stack. */
export class StartError extends Error {
  override name = 'StartError';
  /** Whether the same start may succeed later, without a person: a supervisor is to try again. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: ErrorOptions & { mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
