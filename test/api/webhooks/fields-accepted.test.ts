/** Endpoints, Webhooks: the fields of the body of POST /v1/webhooks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { SECRET } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const HOOK_URL = 'https://example.com/hook';
const start = 'https://example.com/';

/** Field, valid values, invalid values. */
const BODY: readonly (readonly [
  rule: string,
  field: string,
  accepted: readonly unknown[],
  refused: readonly unknown[],
])[] = [
  [
    'url, string, required',
    'url',
    [HOOK_URL, 'http://example.com:8080/a?b=c', start + 'a'.repeat(2_048 - start.length)],
    [
      undefined,
      null,
      7,
      '',
      '/hook',
      'ftp://example.com',
      'https://user:pw@example.com',
      start + 'a'.repeat(2_049 - start.length),
    ],
  ],
  [
    'secret, string of at most 256, required when no template is given',
    'secret',
    ['s', 's'.repeat(256)],
    [undefined, null, 7, '', 's'.repeat(257)],
  ],
  [
    'events, string[], optional',
    'events',
    [undefined, [], ['install.organic', 'event.recorded']],
    ['install.organic', [7], {}],
  ],
  [
    'template, string, optional',
    'template',
    [undefined, null, 'slack', 'the service', 'discord', 'teams'],
    ['irc', '', 7],
  ],
  [
    'templateConfig, object, optional',
    'templateConfig',
    [
      undefined,
      null,
      {},
      { mentionText: '@here', accentColor: '#16A34a' },
      { mentionText: null, accentColor: null },
    ],
    ['text', 7, { accentColor: 'red' }, { accentColor: '#12345' }, { mentionText: 7 }],
  ],
];

for (const engine of engines)
  describe(`endpoints, fields of a webhook, on ${engine}`, () => {
    const world = useWorld(engine);

    for (const [rule, field, accepted, refused] of BODY)
      it(`POST /v1/webhooks field: ${rule}`, async () => {
        const key = (await world.newApp()).keys.live;
        const create = (value: unknown) => {
          const template = field === 'templateConfig' ? { template: 'slack' } : {};
          const body = { url: HOOK_URL, secret: SECRET, ...template, [field]: value };
          return world.call('POST', '/v1/webhooks', { key, body });
        };
        for (const value of accepted) {
          const { status, text, body } = await create(value);
          assert.equal(status, 201, text);
          if (value !== undefined && field !== 'secret' && field !== 'templateConfig')
            assert.deepEqual(body[field], value);
        }
        for (const value of refused) assertError(await create(value), 400, 'request.invalid', field);
      });

    it('secret is not required with a template', async () => {
      const key = (await world.newApp()).keys.live;
      const body = { url: HOOK_URL, template: 'teams' };
      assert.equal((await world.call('POST', '/v1/webhooks', { key, body })).status, 201);
    });
  });
