/** The signatures of docs/reference/webhook-vectors.md and the snippet and example fields of docs/guide/webhooks.md are correct. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../../packages/server/src/verify-webhook.ts';
import { serviceSignature, signingKeyOf, standardSignature } from '../../../src/webhooks/signature.ts';
import { EVENT_TYPES } from '../../../src/webhooks/webhook.ts';
import { WINNING_POSTBACK } from '../../helpers/postbacks.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const DOCUMENT = readFileSync('docs/guide/webhooks.md', 'utf8');

interface Vector {
  readonly title: string;
  /** Newest first. */
  readonly secrets: readonly string[];
  readonly id: string;
  readonly timestamp: string;
  readonly serviceSignature: string;
  readonly standardSignature: string;
  readonly body: Buffer;
}

interface Example {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

const VECTORS = vectorsOf(readFileSync('docs/reference/webhook-vectors.md', 'utf8'));
const EXAMPLES = examplesOf(sectionOf('Events'));

describe('the test vectors of docs/reference/webhook-vectors.md', () => {
  it('include at least one of each kind', () => {
    const isPlain = ({ secrets: [secret = ''] }: Vector) => !secret.startsWith('whsec_');
    assert.ok(VECTORS.length >= 4);
    assert.ok(VECTORS.some(isPlain));
    assert.ok(VECTORS.some((vector) => !isPlain(vector)));
    assert.ok(VECTORS.some(({ secrets }) => secrets.length === 2));
    assert.ok(VECTORS.some(({ body }) => body.length > body.toString().length));
  });

  for (const vector of VECTORS) {
    const { title, secrets, id, timestamp, body } = vector;
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': vector.standardSignature,
    };
    const nowMs = Number(timestamp) * 1_000;

    it(`${title}: the service creates the same signature`, () => {
      assert.equal(
        standardSignature(secrets.map(signingKeyOf), { messageId: id, timestamp, body }),
        vector.standardSignature,
      );
      assert.equal(serviceSignature(signingKeyOf(secrets[0] ?? ''), body), vector.serviceSignature);
    });

    it(`${title}: the helper accepts it with each secret, and by the body’s signature alone`, () => {
      const envelope: unknown = JSON.parse(body.toString());
      for (const secret of secrets)
        assert.deepEqual(verifyWebhook({ secret, headers, body, nowMs }), envelope);
      const alone = { 'x-service-signature': vector.serviceSignature };
      assert.deepEqual(
        verifyWebhook({ secret: secrets, headers: alone, body, allowUnstamped: true }),
        envelope,
      );
    });

    it(`${title}: the package standardwebhooks creates the same signature`, () => {
      const signatures = secrets.map((secret) => {
        const webhook = isEncoded(secret)
          ? new Webhook(secret)
          : new Webhook(Buffer.from(secret), { format: 'raw' });
        return webhook.sign(id, new Date(nowMs), body);
      });
      assert.equal(signatures.join(' '), vector.standardSignature);
    });

    it(`${title}: a plain HMAC gives the same signature`, () => {
      const signatures = secrets.map((secret) => {
        const key = isEncoded(secret) ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
        const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
        return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      });
      assert.equal(signatures.join(' '), vector.standardSignature);
      const hex = createHmac('sha256', Buffer.from(secrets[0] ?? '', 'utf8'))
        .update(body)
        .digest('hex');
      assert.equal(hex, vector.serviceSignature);
    });

    it(`${title}: the snippet in plain Node accepts it, and no other signature`, async () => {
      const isGenuine = await snippet();
      const nowSeconds = Number(timestamp);
      for (const secret of secrets) assert.equal(isGenuine(secret, headers, body, nowSeconds), true);
      assert.equal(isGenuine('another secret', headers, body, nowSeconds), false);
      assert.equal(isGenuine(secrets[0] ?? '', headers, body.subarray(1), nowSeconds), false);
      assert.equal(isGenuine(secrets[0] ?? '', headers, body, nowSeconds + 301), false);
      assert.equal(isGenuine(secrets[0] ?? '', {}, body, nowSeconds), false);
    });
  }
});

describe('the examples of docs/guide/webhooks.md', () => {
  it('include each type once, in the order of the types', () => {
    assert.deepEqual([...EXAMPLES.keys()], EVENT_TYPES);
    for (const [type, { event }] of EXAMPLES) assert.equal(event, type);
  });

  it('the postback is Apple’s, with the name of the app first', () => {
    const { appName, ...postback } = EXAMPLES.get('skan.postback_received')?.data ?? {};
    assert.equal(typeof appName, 'string');
    assert.deepEqual(postback, WINNING_POSTBACK);
  });
});

// One engine is enough: other tests compare the fields on each.
describe('the examples of docs/guide/webhooks.md and the sent messages', () => {
  const world = useWorld('sqlite', RECEIVER_ENV);
  const receiver = useReceiver();

  for (const type of ['install.attributed', 'install.organic', 'open.attributed', 'event.recorded'] as const)
    it(`${type} has these fields, in this order`, async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: [type] });
      await CAUSES[type](world, app);
      assertSameFields(await hook.envelope(), type);
    });

  it('test.webhook has these fields, in this order, and the same values', async () => {
    const app = await world.newApp();
    const hook = receiver.newHook();
    const { id } = await newWebhook(world, app, { url: hook.url });
    await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
    const envelope = await hook.envelope();
    assertSameFields(envelope, 'test.webhook');
    assert.equal(envelope.data.message, EXAMPLES.get('test.webhook')?.data.message);
  });
});

function assertSameFields(sent: Example, type: string): void {
  const shown = EXAMPLES.get(type);
  assert.deepEqual(Object.keys(shown ?? {}), Object.keys(sent));
  assert.deepEqual(Object.keys(shown?.data ?? {}), Object.keys(sent.data));
}

/** The text under a second-level heading. */
function sectionOf(title: string): string {
  const section = DOCUMENT.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/guide/webhooks.md has no section “${title}”`);
  return section;
}

/** Each second-level heading is followed by one `text` block with a line for each value. */
function vectorsOf(document: string): Vector[] {
  return partsOf(document, 'text', /^## /m).map(({ title, block }) => {
    const lines = block.split('\n').map((line) => /^([a-z-]+): (.*)$/.exec(line) ?? []);
    const all = (name: string) => lines.filter(([, key]) => key === name).map(([, , value = '']) => value);
    const one = (name: string) => {
      const [value, ...others] = all(name);
      if (value === undefined || others.length > 0)
        throw new Error(`${title}: ${name} must occur exactly once`);
      return value;
    };
    return {
      title,
      secrets: all('secret'),
      id: one('webhook-id'),
      timestamp: one('webhook-timestamp'),
      serviceSignature: one('x-service-signature'),
      standardSignature: one('webhook-signature'),
      body: Buffer.from(one('body')),
    };
  });
}

function examplesOf(section: string): ReadonlyMap<string, Example> {
  const parts = partsOf(section, 'json');
  return new Map(parts.map(({ title, block }) => [title.replaceAll('`', ''), JSON.parse(block) as Example]));
}

function partsOf(section: string, language: string, heading = /^### /m): { title: string; block: string }[] {
  const parts = section.split(heading).slice(1);
  return parts.map((part) => {
    const title = part.slice(0, part.indexOf('\n'));
    const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(part)?.[1];
    if (block === undefined) throw new Error(`“${title}” has no block of ${language}`);
    return { title, block };
  });
}

type IsGenuine = (secret: string, headers: object, rawBody: Buffer, nowSeconds: number) => boolean;

/** The only `js` block of the document, as a module. */
async function snippet(): Promise<IsGenuine> {
  const code = /^```js\n([\s\S]*?)^```$/m.exec(DOCUMENT)?.[1] ?? '';
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return (module as { isGenuine: IsGenuine }).isGenuine;
}

function isEncoded(secret: string): boolean {
  return /^whsec_[A-Za-z0-9+/]+=*$/.test(secret);
}
