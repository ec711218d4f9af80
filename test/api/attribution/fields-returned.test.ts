/** Resources, Attribution result: its fields and methods. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertField, type FieldRow } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

const ROWS: readonly FieldRow[] = [
  ['attributed', 'boolean'],
  ['method', 'string'],
  ['installId', 'uuid or null'],
  ['clickId', 'uuid or null'],
  ['campaignId', 'string or null'],
  // Null for ORGANIC, which has no payload.
  ['deepLinkPayload', 'object or null'],
  ['metadata', 'object'],
  // Beyond the contract's table: the confidence that the webhooks carry too.
  ['confidence', 'string or null'],
];
const PAYLOAD_ROWS: readonly FieldRow[] = [
  ['deepLinkPath', 'string'],
  ['deepLinkParams', 'object'],
  ['isDeferred', 'boolean'],
];

for (const engine of engines)
  describe(`resources, Attribution result, on ${engine}`, () => {
    const world = useWorld(engine);

    async function clicked(from = freshAddress()) {
      const app = await world.newApp();
      const link = await world.newLink(app, { ...PLAY, campaignId: 'spring', metadata: { a: 1 } });
      return { app, clickId: await world.clickId(link.shortCode, { from }) };
    }

    const results = once(async () => {
      const { app, clickId } = await clicked();
      const matched = (await world.install(app, { clickId }, { from: freshAddress() })).body;
      const organic = (await world.install(app, {}, { from: freshAddress() })).body;
      return { matched, organic };
    });

    for (const row of ROWS)
      it(`Attribution result field: ${row.join(', ')}`, async () => {
        const { matched, organic } = await results();
        assertField(matched, row);
        assertField(organic, row);
      });

    for (const row of PAYLOAD_ROWS)
      it(`Attribution result field: deepLinkPayload.${row.join(', ')}`, async () => {
        assertField((await results()).matched.deepLinkPayload, row);
      });

    it('an attribution result has exactly these fields', async () => {
      const names = ROWS.map(([name]) => name).sort();
      const { matched, organic } = await results();
      assert.deepEqual(Object.keys(matched).sort(), names);
      assert.deepEqual(Object.keys(organic).sort(), names);
      assert.deepEqual(
        Object.keys(matched.deepLinkPayload),
        PAYLOAD_ROWS.map(([name]) => name),
      );
    });

    it('method INSTALL_REFERRER: the Android install referrer contains a click ID under svc_click_id', async () => {
      const { app, clickId } = await clicked();
      const installReferrer = `utm_source=mail&svc_click_id=${clickId}&utm_medium=x`;
      const { body } = await world.install(app, { installReferrer }, { from: freshAddress() });
      const { attributed, method, campaignId, confidence } = body;
      assert.deepEqual(
        [attributed, method, body.clickId, campaignId, confidence],
        [true, 'INSTALL_REFERRER', clickId, 'spring', null],
      );
    });

    it('method CLICK_ID: the SDK passes an explicit click ID', async () => {
      const { app, clickId } = await clicked();
      const { body } = await world.install(app, { clickId }, { from: freshAddress() });
      const { attributed, method, campaignId, confidence } = body;
      assert.deepEqual(
        [attributed, method, body.clickId, campaignId, confidence],
        [true, 'CLICK_ID', clickId, 'spring', null],
      );
    });

    it('method FINGERPRINT: the device’s signals match those of the click', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      await world.tap((await world.newLink(app, { campaignId: 'tv' })).shortCode, {
        from,
        userAgent: IPHONE,
      });
      const { body } = await world.install(app, { fingerprint: IPHONE_FINGERPRINT }, { from });
      assert.deepEqual([body.attributed, body.method, body.campaignId], [true, 'FINGERPRINT', 'tv']);
      assert.ok(Number(body.confidence) > 0 && Number(body.confidence) <= 1);
      assert.match(body.confidence, /^[01](\.\d+)?$/);
    });

    it('method ORGANIC: no match', async () => {
      const { app } = await clicked();
      const { body } = await world.install(app, {}, { from: freshAddress() });
      assert.deepEqual(body, {
        attributed: false,
        method: 'ORGANIC',
        installId: body.installId,
        clickId: null,
        campaignId: null,
        confidence: null,
        deepLinkPayload: null,
        metadata: {},
      });
    });

    it('the methods are tried in the order INSTALL_REFERRER, CLICK_ID, FINGERPRINT, ORGANIC', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const { shortCode } = await world.newLink(app, PLAY);
      await world.tap(shortCode, { from, userAgent: IPHONE });
      const [inReferrer, explicit] = [await world.clickId(shortCode), await world.clickId(shortCode)];
      const call = { clickId: explicit, installReferrer: `svc_click_id=${inReferrer}` };
      const methods = [];
      for (let nth = 0; nth < 4; nth++) methods.push((await world.install(app, call, { from })).body.method);
      assert.deepEqual(methods, ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC']);
    });
  });
