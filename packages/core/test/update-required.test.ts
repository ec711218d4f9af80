import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { isOlder } from '../src/app-version.ts';
import type { DeepLink, Ports } from '../src/index.ts';
import { endClients, LINK, Phone, settle } from './phone.ts';

after(endClients);

const PAYLOAD = { deepLinkPath: '/new', deepLinkParams: {}, minAppVersion: { ios: '9', android: '4.10' } };

function withVersion(appVersion: string | undefined, platform: 'ANDROID' | 'IOS' = 'ANDROID'): Ports {
  return { device: async () => ({ platform, ...(appVersion !== undefined && { appVersion }) }) };
}

/** A phone whose service names a least version in every answer. */
function newPhone(): Phone {
  const phone = new Phone();
  phone.service.payload = PAYLOAD;
  phone.fateOf = (_request, path) =>
    path === '/v1/sdk/resolve' ? { status: 200, body: { ...PAYLOAD, campaignId: null } } : 'answered';
  return phone;
}

const isRequired = (link: DeepLink | null | undefined) => link?.updateRequired ?? false;

describe('the comparison of versions', () => {
  it('takes dotted numbers as numbers, missing parts as 0, and what follows for nothing', () => {
    for (const [own, least, older] of [
      ['4.9', '4.10', true],
      ['4.10', '4.9', false],
      ['4.2', '4.2.0', false],
      ['4.2', '4.2.0.1', true],
      ['4.2.0', '4.2', false],
      ['10', '9.9.9', false],
      ['09.1', '9.1', false],
      ['4.2.0-beta.1 (77)', '4.2.1', true],
      ['v4.3', '4.2', false],
      ['20261126.0930', '20261126.0931', true],
      ['beta', '1', false],
      ['', '1', false],
      [undefined, '1', false],
      ['1', undefined, false],
      ['1', 2, false],
    ] as const)
      assert.equal(isOlder(own, least), older, `${own} and ${least}`);
  });
});

describe('a link for a later version of the app', () => {
  for (const [name, ports, required] of [
    ['an older app', withVersion('4.9.9'), true],
    ['an app of that version', withVersion('4.10'), false],
    ['an app of another system', withVersion('9.1', 'IOS'), false],
    ['an app that does not know its version', withVersion(undefined), false],
  ] as const)
    it(`says so to ${name}: ${required}`, async () => {
      const phone = newPhone();
      const client = phone.launch({}, ports);
      assert.equal(isRequired((await client.firstOpen()).link), required);
      assert.equal(isRequired((await client.explain()).firstOpen?.link), required);
      assert.equal(isRequired(await client.handleUrl(LINK)), required);
      await settle();
      assert.deepEqual(phone.delivered.map(isRequired), [required]);
    });

  it('says so without consent to send the version, which stays on the phone', async () => {
    for (const consent of ['denied', 'deterministic-only'] as const) {
      const phone = newPhone();
      const bodies: string[] = [];
      const { fateOf } = phone;
      phone.fateOf = (request, path, body) => {
        bodies.push(body);
        return fateOf(request, path, body);
      };
      const client = phone.launch({ consent }, withVersion('4.9'));
      assert.equal(isRequired(await client.handleUrl(LINK)), true);
      assert.equal(bodies.join().includes('4.9'), false);
    }
  });

  it('says so no more after the update, also for a link that waited for a listener', async () => {
    const phone = newPhone();
    const first = phone.create({}, withVersion('4.9'));
    assert.equal(isRequired((await first.firstOpen()).link), true);
    phone.kill();
    const client = phone.launch({}, withVersion('4.10'));
    assert.equal(isRequired((await client.firstOpen()).link), false);
    await settle();
    assert.deepEqual(phone.delivered.map(isRequired), [false]);
  });

  it('that waited for a listener still says so to the old app', async () => {
    const phone = newPhone();
    await phone.create({}, withVersion('4.9')).firstOpen();
    phone.kill();
    await phone.launch({}, withVersion('4.9')).start();
    await settle();
    assert.deepEqual(phone.delivered.map(isRequired), [true]);
  });

  it('corrects a link that its URL told, although the place is the same', async () => {
    const phone = newPhone();
    const answered = Promise.withResolvers<void>();
    const ports = withVersion('4.9');
    const client = phone.launch(
      { linkTimeoutMs: 20 },
      {
        ...ports,
        fetch: async (url) => {
          if (url.endsWith('/open')) await answered.promise;
          const body = { attributed: true, method: 'CLICK_ID', deepLinkPayload: PAYLOAD };
          return { status: 200, headers: new Headers(), text: async () => JSON.stringify(body) };
        },
      },
    );
    const link = await client.handleUrl('shop://new?svc_click_id=1');
    assert.deepEqual([link?.path, isRequired(link)], ['/new', false]);
    answered.resolve();
    await settle();
    const corrections = phone.delivered.filter(({ correctionOf }) => correctionOf !== undefined);
    assert.deepEqual(
      corrections.map(({ path, updateRequired }) => [path, updateRequired]),
      [['/new', true]],
    );
  });
});
