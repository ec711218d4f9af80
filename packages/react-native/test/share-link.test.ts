import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createClient, library, MADE, newPhone, phone } from './host.ts';

const INVITE = { deepLinkPath: '/invite/42' };
const { shortUrl } = MADE;

beforeEach(() => newPhone());

describe('shareLink', () => {
  for (const [os, options, content, shown] of [
    ['ios', {}, { url: shortUrl }, {}],
    ['ios', { message: 'Join me:' }, { url: shortUrl, message: 'Join me:' }, {}],
    ['android', {}, { message: shortUrl }, {}],
    ['android', { message: 'Join me:' }, { message: `Join me: ${shortUrl}` }, {}],
    [
      'ios',
      { title: 'Shop', anchor: 7 },
      { url: shortUrl, title: 'Shop' },
      { dialogTitle: 'Shop', subject: 'Shop', anchor: 7 },
    ],
  ] as const)
    it(`opens the sheet of ${os} with the link as that system takes it: ${JSON.stringify(options)}`, async () => {
      newPhone({ os });
      const shared = await library.shareLink(createClient(), INVITE, options);
      assert.deepEqual(phone.shared, [{ content, options: shown }]);
      assert.deepEqual(shared, { ...MADE, shared: true, activityType: null });
    });

  it('tells whether the person shared, and by which app, as far as the system does', async () => {
    const aborted = () => {
      throw Object.assign(new Error('closed'), { name: 'AbortError' });
    };
    for (const [onShare, shared, activityType] of [
      [
        () => ({ action: 'sharedAction', activityType: 'com.apple.UIKit.activity.Message' }),
        true,
        'com.apple.UIKit.activity.Message',
      ],
      [() => ({ action: 'dismissedAction' }), false, null],
      [() => undefined, true, null],
      [aborted, false, null],
    ] as const) {
      newPhone({ onShare });
      assert.deepEqual(await library.shareLink(createClient(), INVITE), { ...MADE, shared, activityType });
    }
  });

  it('opens no sheet without a link, and throws why', async () => {
    const made = library.shareLink(createClient({ config: { consent: 'denied' } }), INVITE);
    await assert.rejects(made, (error) => {
      assert.ok(error instanceof library.LinkError);
      assert.equal(error.code, 'consent.denied');
      return true;
    });
    assert.deepEqual(phone.shared, []);
  });

  it('throws the error of a system that opens no sheet', async () => {
    newPhone({
      onShare: () => {
        throw new Error('another sheet is open');
      },
    });
    await assert.rejects(library.shareLink(createClient(), INVITE), /another sheet is open/);
  });
});
