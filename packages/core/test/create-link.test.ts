import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fetch, LinkError, type NewLink, type Throughline } from '../src/index.ts';
import { endClients, type Fate, fault, Phone, settle } from './phone.ts';

const INVITE = { deepLinkPath: '/invite/42' };
/** Waits are half of their usual length. */
const SOON = { random: () => 0 };

after(endClients);

/** @returns the error, or null if a link was made. */
async function errorOf(made: Promise<unknown>): Promise<LinkError | null> {
  try {
    await made;
    return null;
  } catch (error) {
    assert.ok(error instanceof LinkError, String(error));
    return error;
  }
}

/** A phone whose install the service has recorded. */
async function known(ports = {}): Promise<{ phone: Phone; client: Throughline }> {
  const phone = new Phone();
  const client = phone.launch({}, { ...SOON, ...ports });
  await client.firstOpen();
  return { phone, client };
}

const sent = (phone: Phone) => phone.service.requests.filter(({ path }) => path === '/v1/sdk/links');
/** Of requests for links. */
const fateOfLinks = (fate: Fate) => (_request: number, path: string) =>
  path === '/v1/sdk/links' ? fate : 'answered';

describe('a link that the app makes', { concurrency: true }, () => {
  it('waits for the answer to the first start, and names the install', async () => {
    const phone = new Phone();
    phone.fateOf = (request) => (request === 0 ? 'lost' : 'answered');
    const client = phone.create({}, SOON);
    const link = await client.createLink(INVITE);
    assert.deepEqual(link, { shortCode: 'made0', shortUrl: 'https://go.example.com/l/made0' });
    const { installId } = await client.firstOpen();
    assert.deepEqual(
      sent(phone).map(({ body }) => body),
      [{ installId, ...INVITE }],
    );
  });

  it('is the same link after a lost answer, and for the same content', async () => {
    const { phone, client } = await known();
    let lost = 0;
    phone.fateOf = (_request, path) =>
      path === '/v1/sdk/links' && lost++ === 0 ? 'answer lost' : 'answered';
    const first = await client.createLink(INVITE);
    assert.equal(sent(phone).length, 2);
    const again = await Promise.all([client.createLink(INVITE), client.createLink({ ...INVITE })]);
    assert.deepEqual(again, [first, first]);
    const other = await client.createLink({ deepLinkPath: '/invite/43' });
    assert.notEqual(other.shortCode, first.shortCode);
    assert.equal(phone.service.links.size, 2);
  });

  it('fails offline after three attempts, and succeeds when the phone is online again', async () => {
    const { phone, client } = await known();
    phone.fateOf = () => 'lost';
    const error = await errorOf(client.createLink(INVITE));
    assert.equal(error?.code, 'service.unreachable');
    assert.match(error?.message ?? '', /online/);
    phone.fateOf = () => 'answered';
    assert.equal((await client.createLink(INVITE)).shortCode, 'made0');
  });

  it('is not asked for after its time, when nobody waits for it', async () => {
    const phone = new Phone();
    phone.fateOf = () => 'lost';
    const client = phone.launch({}, SOON);
    const error = await errorOf(client.createLink(INVITE, { timeoutMs: 30 }));
    assert.equal(error?.code, 'install.pending');
    assert.match(error?.message ?? '', /0.03 s\. Call createLink again/);
    phone.fateOf = () => 'answered';
    await client.flush();
    assert.equal((await client.firstOpen()).pending, false);
    await settle();
    assert.equal(sent(phone).length, 0);
  });

  it('fails within its time if the service never answers', async () => {
    const silent: Fetch = (url, init) =>
      url.endsWith('/links') ? new Promise(() => {}) : answers(url, init);
    const phone = new Phone();
    const answers: Fetch = async (url, { body = '{}' }) => {
      const reply = phone.service.answer(new URL(url).pathname, JSON.parse(body));
      return { status: reply.status, headers: new Headers(), text: async () => JSON.stringify(reply.body) };
    };
    const client = phone.launch({}, { fetch: silent });
    await client.firstOpen();
    const error = await errorOf(client.createLink(INVITE, { timeoutMs: 40 }));
    assert.equal(error?.code, 'service.unreachable');
  });

  const refused = (status: number, code: string, headers = {}): Fate => {
    const reply = fault(status, code);
    return { ...reply, headers: { ...reply.headers, ...headers } };
  };
  for (const [code, fate, retryInMs] of [
    ['app_links.off', refused(403, 'app_links.off'), null],
    ['request.invalid', refused(400, 'request.invalid'), null],
    // Longer than any other request waits: until the next day.
    ['rate.limited', refused(429, 'rate.limited', { 'retry-after': '80000' }), 80_000_000],
    ['database.unavailable', refused(503, 'database.unavailable', { 'retry-after': '30' }), 30_000],
    ['key.refused', refused(401, 'key.unknown'), null],
    ['route.not_found', refused(404, 'route.not_found'), null],
  ] as const)
    it(`fails at once with the code and the words of the service: ${code}`, async () => {
      const { phone, client } = await known();
      phone.fateOf = fateOfLinks(fate);
      const error = await errorOf(client.createLink(INVITE));
      assert.equal(error?.code, code);
      assert.match(error?.message ?? '', /^It says /);
      assert.equal(error?.retryAt?.getTime() ?? null, retryInMs && phone.nowMs + retryInMs);
      assert.equal(phone.requested('/v1/sdk/links'), 1);
    });

  it('is not asked for without consent, nor after the install was erased', async () => {
    for (const consent of ['pending', 'denied'] as const) {
      const phone = new Phone();
      const client = phone.launch({ consent });
      assert.equal((await errorOf(client.createLink(INVITE)))?.code, `consent.${consent}`);
      assert.equal(phone.service.requests.length, 0);
    }
    const { phone, client } = await known();
    phone.fateOf = fateOfLinks(fault(404, 'install.erased'));
    for (const attempts of [1, 1]) {
      assert.equal((await errorOf(client.createLink(INVITE)))?.code, 'install.erased');
      assert.equal(phone.requested('/v1/sdk/links'), attempts);
    }
  });

  it('fails at once when consent is denied, or the client ends, while it waits', async () => {
    for (const [code, end] of [
      ['consent.denied', (client: Throughline) => client.setConsent('denied')],
      ['client.ended', (client: Throughline) => client.reset()],
      ['client.ended', (client: Throughline) => client.shutdown()],
    ] as const) {
      const phone = new Phone();
      phone.fateOf = () => 'lost';
      const client = phone.launch();
      const made = errorOf(client.createLink(INVITE));
      await settle();
      void end(client);
      const error = await Promise.race([made, wait(1_000)]);
      assert.equal(error?.code, code);
    }
  });

  it('sends an install that the service lost again, once, and then the link', async () => {
    const { phone, client } = await known();
    phone.service.installs.clear();
    assert.equal((await client.createLink(INVITE)).shortCode, 'made0');
    assert.equal(phone.service.installs.size, 1);
    phone.fateOf = fateOfLinks(fault(404, 'install.not_found'));
    const error = await errorOf(client.createLink(INVITE));
    assert.equal(error?.code, 'install.not_found');
  });
});

describe('what the service would refuse of a link', () => {
  const FULL: Required<NewLink> = {
    deepLinkPath: 'ä'.repeat(2_048),
    deepLinkParams: { text: 'x'.repeat(16 * 1024 - 11) },
    ogTitle: '😀'.repeat(255),
    ogDescription: '😀'.repeat(1_000),
    ogImage: `https://a.example/${'x'.repeat(2_030)}`,
    campaignId: 'c'.repeat(255),
  };
  const tooDeep = () => JSON.parse(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`) as object;

  it('is refused on the phone, with words that name the field', async () => {
    const { phone, client } = await known();
    for (const [field, values] of Object.entries({
      deepLinkPath: [undefined, null, '', 7, `${FULL.deepLinkPath}x`, 'a\0', '\ud800'],
      deepLinkParams: [[], 'a', { text: 'x'.repeat(16 * 1024) }, { a: '\0' }, tooDeep(), { a: 1n }],
      ogTitle: ['', `${FULL.ogTitle}x`, {}],
      ogDescription: ['', `${FULL.ogDescription}x`],
      ogImage: ['', 'picture.png', 'javascript:alert(1)', 'https://', 'https://a b', `${FULL.ogImage}x`],
      campaignId: ['', `${FULL.campaignId}x`],
      fallbackUrl: ['https://elsewhere.example'],
      toString: ['x'],
    }))
      for (const value of values) {
        const error = await errorOf(client.createLink({ ...INVITE, [field]: value } as NewLink));
        assert.equal(error?.code, 'request.invalid', `${field}: ${String(value).slice(0, 40)}`);
        assert.ok(error.message.includes(field), error.message);
      }
    for (const link of [undefined, null, 'x'] as unknown as NewLink[])
      assert.equal((await errorOf(client.createLink(link)))?.code, 'request.invalid');
    assert.equal(sent(phone).length, 0);
  });

  it('and nothing else: a link at all bounds is sent as it was at the call', async () => {
    const { phone, client } = await known();
    const params = { ...FULL.deepLinkParams } as Record<string, unknown>;
    const made = client.createLink({ ...FULL, deepLinkParams: params });
    params.text = 'changed';
    await made;
    await client.createLink({ ...INVITE, ogTitle: undefined, deepLinkParams: undefined });
    const { installId } = await client.firstOpen();
    assert.deepEqual(
      sent(phone).map(({ body }) => body),
      [
        { installId, ...FULL },
        { installId, ...INVITE },
      ],
    );
  });
});
