/** Events: messages built from a template. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { APP_STORE_ID } from '../../helpers/postbacks.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSED_EVENTS, CAUSES, type CausedEvent, newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

interface SlackMessage {
  readonly attachments: readonly {
    readonly color: string;
    readonly blocks: readonly { readonly type: string }[];
  }[];
}
interface DiscordMessage {
  readonly embeds: readonly {
    readonly color: number;
    readonly fields: readonly { readonly inline: boolean }[];
  }[];
}
interface TeamsMessage {
  readonly attachments: readonly {
    readonly contentType: string;
    readonly content: { readonly type: string; readonly version: string };
  }[];
}

const COLOURS: Record<CausedEvent | 'test.webhook', readonly [name: string, hex: string]> = {
  'install.attributed': ['Green', '#16a34a'],
  'install.organic': ['Gray', '#6b7280'],
  'install.network_attributed': ['Orange', '#ea580c'],
  'open.attributed': ['Blue', '#2563eb'],
  'open.direct': ['Sky', '#0284c7'],
  'event.recorded': ['Purple', '#9333ea'],
  'skan.postback_received': ['Amber', '#f59e0b'],
  'test.webhook': ['Slate', '#64748b'],
};

for (const engine of neutralEngines)
  describe(`events, templates, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    /** The message built from an event. */
    async function message(
      event: CausedEvent | 'test.webhook',
      fields: Record<string, unknown>,
    ): Promise<unknown> {
      const isPostback = event === 'skan.postback_received';
      const app = await world.newApp(isPostback ? { iosAppStoreId: APP_STORE_ID } : {});
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, {
        url: hook.url,
        secret: undefined,
        events: [event === 'test.webhook' ? 'install.organic' : event],
        ...fields,
      });
      if (event === 'test.webhook')
        await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      else await CAUSES[event](world, app);
      const [first] = await hook.arrived();
      return JSON.parse(first?.raw.toString('utf8') ?? '');
    }

    it('template slack: block-layout message with colour-coded sidebar', async () => {
      const { attachments } = (await message('install.organic', { template: 'slack' })) as SlackMessage;
      assert.match(attachments[0]?.color ?? '', /^#[0-9a-f]{6}$/i);
      assert.ok((attachments[0]?.blocks.length ?? 0) > 0);
      for (const block of attachments[0]?.blocks ?? []) assert.equal(typeof block.type, 'string');
    });

    for (const template of ['the service', 'discord'])
      it(`template ${template}: rich embed with colour-coded sidebar and inline fields`, async () => {
        const { embeds } = (await message('install.organic', { template })) as DiscordMessage;
        assert.ok(Number.isInteger(embeds[0]?.color));
        assert.ok(embeds[0]?.fields.some(({ inline }) => inline));
      });

    it('template teams: Adaptive Card v1.4', async () => {
      const { attachments } = (await message('install.organic', { template: 'teams' })) as TeamsMessage;
      assert.equal(attachments[0]?.contentType, 'application/vnd.microsoft.card.adaptive');
      assert.deepEqual(
        [attachments[0]?.content.type, attachments[0]?.content.version],
        ['AdaptiveCard', '1.4'],
      );
    });

    for (const event of [...CAUSED_EVENTS, 'test.webhook'] as const) {
      const [name, hex] = COLOURS[event];
      it(`default accent colour: ${event}, ${name} (${hex})`, async () => {
        const slack = (await message(event, { template: 'slack' })) as SlackMessage;
        assert.equal(slack.attachments[0]?.color.toLowerCase(), hex);
        // A postback counts once, so there is no second message to check.
        if (event === 'skan.postback_received') return;
        const discord = (await message(event, { template: 'discord' })) as DiscordMessage;
        assert.equal(discord.embeds[0]?.color, Number.parseInt(hex.slice(1), 16));
      });
    }

    for (const template of ['slack', 'discord', 'teams']) {
      it(`templateConfig option mentionText: ping text, in ${template}`, async () => {
        const mentionText = 'look here, everybody';
        const sent = await message('install.organic', { template, templateConfig: { mentionText } });
        assert.ok(JSON.stringify(sent).includes(mentionText));
        const without = await message('install.organic', { template, templateConfig: { mentionText: null } });
        assert.ok(!JSON.stringify(without).includes(mentionText));
      });

      it(`titles carry (Sandbox) when the event came from a sandbox link, in ${template}`, async () => {
        const app = await world.newApp();
        const hook = receiver.newHook();
        await newWebhook(world, app, { url: hook.url, template, events: ['install.attributed'] });
        const androidDestination = 'market://details?id=com.example';
        for (const sandbox of [true, false]) {
          const { shortCode } = await world.newLink(app, { androidDestination, sandbox });
          const clickId = await world.clickId(shortCode, { from: freshAddress() });
          await world.install(app, { clickId, debugBuild: sandbox }, { from: freshAddress() });
          await hook.arrived(sandbox ? 1 : 2);
        }
        const titled = hook.received.map(({ raw }) => raw.toString('utf8').includes('(Sandbox)'));
        assert.deepEqual(titled, [true, false]);
      });
    }

    it('templateConfig option accentColor: overrides the default event colour', async () => {
      const templateConfig = { accentColor: '#Ab12cD' };
      const slack = (await message('install.organic', {
        template: 'slack',
        templateConfig,
      })) as SlackMessage;
      assert.equal(slack.attachments[0]?.color.toLowerCase(), '#ab12cd');
      const discord = (await message('install.organic', {
        template: 'discord',
        templateConfig,
      })) as DiscordMessage;
      assert.equal(discord.embeds[0]?.color, 0xab12cd);
    });

    it('a PATCH of template and templateConfig applies to later events', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook((nth) => (nth === 1 ? 500 : 200));
      const { id } = await newWebhook(world, app, { url: hook.url, events: ['install.organic'] });
      await CAUSES['install.organic'](world, app);
      await hook.arrived();
      const body = { template: 'discord', templateConfig: { mentionText: '@here', accentColor: '#ff0000' } };
      const patched = await world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body });
      assert.equal(patched.status, 200, patched.text);
      const [first, retried] = await hook.arrived(2);
      assert.deepEqual(retried?.raw, first?.raw);

      await CAUSES['install.organic'](world, app);
      const [, , later] = await hook.arrived(3);
      const { content, embeds } = JSON.parse(later?.raw.toString('utf8') ?? '');
      assert.deepEqual([content, embeds[0].color], ['@here', 0xff0000]);
    });

    it('request_body of a templated delivery is the message as sent', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url, template: 'slack' });
      await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      const [first] = await hook.arrived();
      const { body } = await world.call('GET', '/v1/webhooks/deliveries', { key: app.keys.live });
      assert.equal(body[0].request_body, first?.raw.toString('utf8'));
    });
  });
