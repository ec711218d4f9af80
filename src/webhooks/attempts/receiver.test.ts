import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receiverOf } from './receiver.ts';

const CHAT = 'https://hooks.slack.com/services/T0/B0/abc';
const receiver = (url: string, template: string | null, app_id = 'one') =>
  receiverOf({ app_id, url, template });

describe('the receiver of a webhook', () => {
  it('is paced for a chat by what its platform takes, and for others by nothing', () => {
    const paces = ['slack', 'discord', 'the service', 'teams', null].map(
      (template) => receiver(CHAT, template).intervalMs,
    );
    assert.deepEqual(paces, [1_000, 2_000, 2_000, 250, null]);
  });

  it('is one for all webhooks and apps that write to one chat, however the address is written', () => {
    const { id } = receiver(CHAT, 'slack');
    for (const url of [`${CHAT}#a`, CHAT.replace('hooks', 'HOOKS'), CHAT.replace('.com', '.com:443')])
      assert.equal(receiver(url, 'slack', 'two').id, id);
    assert.notEqual(receiver(`${CHAT}d`, 'slack').id, id);
    const discord = 'https://discord.com/api/webhooks/1/abc';
    assert.equal(receiver(`${discord}?thread_id=5`, 'discord').id, receiver(discord, 'discord').id);
  });

  it('is one for each app otherwise, so that no app has another wait', () => {
    const url = 'https://shop.example.com/hooks';
    assert.equal(receiver(url, null).id, receiver(url, null).id);
    assert.notEqual(receiver(url, null, 'two').id, receiver(url, null).id);
  });

  it('is named by a hash, since the address may be a credential', () => {
    assert.match(receiver(CHAT, 'slack').id, /^[\w-]{43}$/);
  });
});
