import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { serviceSignature, signingKeyOf, standardSignature } from '../../../src/webhooks/signature.ts';
import {
  verifyWebhook,
  type WebhookEnvelope,
  type WebhookRefusal,
  type WebhookRequest,
  WebhookVerificationError,
} from './verify-webhook.ts';

const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PLAIN = 'a signing secret';
const OTHER = 'another secret';
const ID = '01a1fa01-9f9d-78ba-8791-3d5f0998b4ab';
const NOW_SECONDS = 1_795_195_772;
const ENVELOPE = {
  event: 'event.recorded',
  timestamp: '2026-11-20T17:29:33.158Z',
  data: {
    eventId: '01a1fa01-a0e6-7a12-bc87-bbd68dd067b5',
    installId: '01a1fa01-9f65-727b-9240-57b838adab86',
    eventName: 'Schuhe gekauft 👟',
    properties: '{"größe":"42½"}',
    appName: 'Shoe shop',
    platform: 'ios',
    userId: null,
  },
} as const satisfies WebhookEnvelope;
const BODY = Buffer.from(JSON.stringify(ENVELOPE));

/** Secrets of each form, and some that only resemble a form. */
const SECRETS = [
  PLAIN,
  WHSEC,
  'Schlüssel 🔑',
  'whsec_',
  'whsec_not base64',
  'whsec_YWJj', // three bytes
  'whsec_YWI', // no padding
  'x',
  'y'.repeat(256),
];

/** Headers made by the service's code. */
function signed(
  secrets: readonly string[],
  { body = BODY, id = ID, timestamp = String(NOW_SECONDS) } = {},
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature(secrets.map(signingKeyOf), { messageId: id, timestamp, body }),
    'x-service-signature': serviceSignature(signingKeyOf(secrets[0] ?? ''), body),
  };
}

function verify(request: Partial<WebhookRequest> = {}): WebhookEnvelope {
  return verifyWebhook({
    secret: WHSEC,
    headers: signed([WHSEC]),
    body: BODY,
    nowMs: NOW_SECONDS * 1_000,
    ...request,
  });
}

function refused(reason: WebhookRefusal, request: Partial<WebhookRequest>): void {
  assert.throws(
    () => verify(request),
    (error) => {
      assert.ok(error instanceof WebhookVerificationError, String(error));
      assert.equal(error.name, 'WebhookVerificationError');
      assert.equal(error.reason, reason);
      assert.equal(error.statusCode, 400);
      assert.match(error.message, /\.$/);
      return true;
    },
  );
}

describe('a genuine webhook', () => {
  for (const secret of SECRETS)
    it(`is accepted with the secret ${secret.slice(0, 20)}`, () => {
      assert.deepEqual(verify({ secret, headers: signed([secret]) }), ENVELOPE);
    });

  it('is accepted as Buffer, Uint8Array, part of a larger buffer, and text', () => {
    const larger = Buffer.concat([Buffer.from('{'), BODY, Buffer.from('}')]);
    for (const body of [BODY, new Uint8Array(BODY), larger.subarray(1, -1), BODY.toString()])
      assert.deepEqual(verify({ body }), ENVELOPE);
  });

  it('is accepted with headers in any case, as lists of one, and as Headers', () => {
    const entries = Object.entries(signed([WHSEC]));
    const inCapitals = Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value]));
    const asLists = Object.fromEntries(entries.map(([name, value]) => [name, [value]]));
    for (const headers of [inCapitals, asLists, new Headers(entries)])
      assert.deepEqual(verify({ headers }), ENVELOPE);
  });

  it('may have an unknown event', () => {
    const body = Buffer.from('{"event":"link.created","timestamp":"2026-11-20T17:29:33.158Z","data":{}}');
    assert.equal(String(verify({ body, headers: signed([WHSEC], { body }) }).event), 'link.created');
  });

  it('has data typed by its event', () => {
    const envelope = verify();
    // Tested by the compiler.
    const shown = envelope.event === 'event.recorded' ? envelope.data.eventName : envelope.data.appName;
    assert.equal(shown, 'Schuhe gekauft 👟');
  });
});

describe('during a rotation', () => {
  it('either secret verifies a request signed with both', () => {
    const headers = signed([WHSEC, PLAIN]);
    for (const secret of [WHSEC, PLAIN, [PLAIN, WHSEC], [OTHER, PLAIN]])
      assert.deepEqual(verify({ secret, headers }), ENVELOPE);
    refused('signature_mismatch', { secret: OTHER, headers });
  });

  it('a receiver with both secrets accepts a request signed with either', () => {
    for (const signer of [WHSEC, PLAIN])
      assert.deepEqual(verify({ secret: [WHSEC, PLAIN], headers: signed([signer]) }), ENVELOPE);
  });
});

describe('a forgery', () => {
  it('a change of any bit of the body is refused', () => {
    for (let at = 0; at < BODY.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const body = Buffer.from(BODY);
        body.writeUInt8(body.readUInt8(at) ^ (1 << bit), at);
        refused('signature_mismatch', { body });
      }
    refused('signature_mismatch', { body: BODY.subarray(0, -1) });
    refused('signature_mismatch', { body: Buffer.concat([BODY, Buffer.from('\n')]) });
    refused('signature_mismatch', { body: '' });
  });

  it('a change of any character of the headers is refused', () => {
    const headers = signed([WHSEC]);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      for (let at = 0; at < (headers[name] ?? '').length; at += 1)
        for (const change of [1, 2, 4]) {
          const value = headers[name] ?? '';
          const changed = String.fromCharCode(value.charCodeAt(at) ^ change);
          const forged = { ...headers, [name]: value.slice(0, at) + changed + value.slice(at + 1) };
          assert.throws(
            () => verify({ headers: forged, toleranceSeconds: Number.POSITIVE_INFINITY }),
            WebhookVerificationError,
            `${name} at ${at}`,
          );
        }
  });

  it('another secret is refused, also if only its case, a space or its prefix differs', () => {
    for (const secret of [PLAIN, WHSEC.toLowerCase(), `${WHSEC} `, WHSEC.slice('whsec_'.length)])
      refused('signature_mismatch', { secret });
  });

  it('a signature of the body alone is refused as webhook-signature', () => {
    const value = serviceSignature(signingKeyOf(WHSEC), BODY);
    for (const signature of [`v1,${value}`, `v1,${Buffer.from(value, 'hex').toString('base64')}`])
      refused('signature_mismatch', { headers: { ...signed([WHSEC]), 'webhook-signature': signature } });
  });

  it('an id with a dot is refused', () => {
    refused('header_malformed', { headers: signed([WHSEC], { id: `${ID}.1` }) });
  });
});

describe('the timestamp', () => {
  it('may be up to 300 s in the past or the future', () => {
    for (const offSeconds of [-300, 0, 300]) verify({ nowMs: (NOW_SECONDS + offSeconds) * 1_000 });
    refused('timestamp_too_old', { nowMs: (NOW_SECONDS + 301) * 1_000 });
    refused('timestamp_too_new', { nowMs: (NOW_SECONDS - 301) * 1_000 });
  });

  it('may be as far off as the tolerance', () => {
    refused('timestamp_too_old', { nowMs: (NOW_SECONDS + 6) * 1_000, toleranceSeconds: 5 });
    verify({ nowMs: (NOW_SECONDS + 5) * 1_000, toleranceSeconds: 5 });
    verify({ nowMs: 0, toleranceSeconds: Number.POSITIVE_INFINITY });
  });

  it('is refused with a tolerance of NaN', () => {
    refused('timestamp_too_old', { nowMs: (NOW_SECONDS + 301) * 1_000, toleranceSeconds: Number.NaN });
  });

  it('is compared with the system clock by default', () => {
    const now = String(Math.floor(Date.now() / 1_000));
    const headers = signed([WHSEC], { timestamp: now });
    assert.deepEqual(verifyWebhook({ secret: WHSEC, headers, body: BODY }), ENVELOPE);
    assert.throws(() => verifyWebhook({ secret: WHSEC, headers: signed([WHSEC]), body: BODY, nowMs: 0 }));
  });

  it('must be whole seconds, even if it is signed', () => {
    for (const timestamp of ['soon', '-1', '1.5', '1e9', '0x6b', ` ${NOW_SECONDS}`, '1'.repeat(13)])
      refused('header_malformed', { headers: signed([WHSEC], { timestamp }) });
  });
});

describe('the list of signatures', () => {
  const withList = (list: (genuine: string) => string) => {
    const headers = signed([WHSEC]);
    return { headers: { ...headers, 'webhook-signature': list(headers['webhook-signature'] ?? '') } };
  };
  const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;

  it('needs one genuine entry at any place', () => {
    verify(withList((genuine) => `${wrong} ${genuine}`));
    verify(withList((genuine) => `${genuine} ${wrong} v1,short v1, `));
    verify(withList((genuine) => `v2,abc v1a,${'A'.repeat(86)}==  ${genuine}`));
  });

  it('may have entries of other versions, which are ignored', () => {
    refused(
      'signature_mismatch',
      withList((genuine) => `${wrong} ${genuine.replace('v1,', 'v2,')}`),
    );
    for (const version of ['v2', 'v1a', 'v11', 'V1', ' ', ''])
      refused(
        'header_malformed',
        withList((genuine) => genuine.replace('v1,', `${version},`)),
      );
    refused(
      'header_malformed',
      withList((genuine) => genuine.replace('v1,', '')),
    );
  });
});

describe('headers that are missing', () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    it(`${name} is required, and must not be empty`, () => {
      const { [name]: _, ...others } = signed([WHSEC]);
      for (const headers of [others, { ...others, [name]: '' }, { ...others, [name]: undefined }]) {
        refused('headers_missing', { headers });
        refused('headers_missing', { headers, allowUnstamped: true });
      }
    });

  it('a repeated header is refused', () => {
    const headers = signed([WHSEC]);
    refused('header_malformed', { headers: { ...headers, 'Webhook-Id': 'another' } });
    refused('header_malformed', { headers: { ...headers, 'webhook-timestamp': ['1', '2'] } });
  });

  it('the error for a webhook with a template says that it is not signed', () => {
    const { 'webhook-id': id, 'webhook-timestamp': time } = signed([WHSEC]);
    const headers = { 'webhook-id': id, 'webhook-timestamp': time };
    assert.throws(() => verify({ headers }), /Webhooks with a template are not signed\./);
  });
});

describe('X-Service-Signature alone', () => {
  const headers = { 'X-Service-Signature': serviceSignature(signingKeyOf(WHSEC), BODY) };

  it('is accepted only with allowUnstamped', () => {
    refused('headers_missing', { headers });
    refused('headers_missing', { headers, allowUnstamped: false });
    assert.deepEqual(verify({ headers, allowUnstamped: true }), ENVELOPE);
    assert.deepEqual(verify({ headers, allowUnstamped: true, secret: [OTHER, WHSEC] }), ENVELOPE);
  });

  it('does not replace invalid Standard Webhooks headers', () => {
    const both = { ...signed([OTHER]), ...headers };
    refused('signature_mismatch', { headers: both, allowUnstamped: true });
    const nowMs = (NOW_SECONDS + 301) * 1_000;
    refused('timestamp_too_old', { headers: signed([WHSEC]), nowMs, allowUnstamped: true });
  });

  it('must match exactly', () => {
    const genuine = headers['X-Service-Signature'];
    const others = [genuine.toUpperCase(), `sha256=${genuine}`, genuine.slice(1)];
    for (const value of others)
      refused('header_malformed', { headers: { 'x-service-signature': value }, allowUnstamped: true });
    refused('headers_missing', { headers: {}, allowUnstamped: true });
    refused('signature_mismatch', { headers, secret: OTHER, allowUnstamped: true });
    refused('signature_mismatch', { headers, body: `${BODY.toString()} `, allowUnstamped: true });
  });
});

describe('mistakes of the receiver', () => {
  it('a parsed body has an error of its own', () => {
    for (const body of [ENVELOPE, null, undefined, [1, 2]])
      refused('body_not_raw', { body: body as unknown as string });
  });

  it('an empty or missing secret is a TypeError', () => {
    for (const secret of ['', [], [WHSEC, ''], undefined, null, [undefined], 7])
      assert.throws(() => verify({ secret: secret as string }), TypeError);
  });

  it('a signed body that is not an event has an error of its own', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '{}',
      '{"event":1,"timestamp":"","data":{}}',
      '{"event":"a"}',
      '{',
    ]) {
      const body = Buffer.from(text);
      refused('not_an_envelope', { body, headers: signed([WHSEC], { body }) });
    }
  });
});

describe('the package standardwebhooks', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const keyed = (secret: string) =>
    secret === WHSEC ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' });

  for (const secret of [WHSEC, PLAIN, 'Schlüssel 🔑'])
    it(`signs requests accepted here, and verifies requests of the service, with ${secret.slice(0, 16)}`, () => {
      const sentAt = nowSeconds();
      const theirs = {
        'webhook-id': ID,
        'webhook-timestamp': String(sentAt),
        'webhook-signature': keyed(secret).sign(ID, new Date(sentAt * 1_000), BODY),
      };
      assert.deepEqual(verifyWebhook({ secret, headers: theirs, body: BODY }), ENVELOPE);
      const ours = signed([OTHER, secret], { timestamp: String(sentAt) });
      assert.deepEqual(keyed(secret).verify(BODY, ours), ENVELOPE);
    });

  it('refuses the same requests', () => {
    const genuine = signed([WHSEC], { timestamp: String(nowSeconds()) });
    const stale = signed([WHSEC], { timestamp: String(nowSeconds() - 302) });
    const { 'webhook-id': _, ...noId } = genuine;
    const otherVersion = { ...genuine, 'webhook-signature': 'v2,abc v1a,def' };
    for (const headers of [stale, noId, otherVersion, signed([OTHER], { timestamp: String(nowSeconds()) })]) {
      assert.throws(() => new Webhook(WHSEC).verify(BODY, headers as Record<string, string>));
      assert.throws(() => verifyWebhook({ secret: WHSEC, headers, body: BODY }), WebhookVerificationError);
    }
  });
});
