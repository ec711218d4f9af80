/** An erasure costs as much as the person's records: no statement scans all rows of an app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RootOperationNode } from 'kysely';
import { completeErasures, erasePerson, storeIdentifiers } from '../../../src/privacy/erase-person.ts';
import { findErasureRequest, insertErasureRequests } from '../../../src/privacy/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { newErasureRequest } from '../../helpers/privacy-scene.ts';
import { explain, noting } from '../../helpers/statements.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

/**
 * SQLite's plans name the index of every step, while PostgreSQL's depend on table sizes. Runs of clicks and deliveries in
 * flight are few and exempt.
 */
const WHOLE_TABLE = /^SCAN (?!json_each|\d+-ROW VALUES|CONSTANT ROW|runs$|.* webhook_queue_leased$)/;
/** Plans that read all rows of an app or period; the index of erased records is exempt. */
const WHOLE_APP = /^SEARCH (?!.*messages_erased).*\(app_id=\?(?: AND id[<>]\?)*\)/;

describe('the statements of an erasure', { skip: !engines.includes('sqlite') }, () => {
  const world = useWorld('sqlite');

  it('use an index in every plan', async () => {
    const { service } = world;
    const app = await world.newApp();
    const from = freshAddress();
    await world.tap((await world.newLink(app)).shortCode, { from });
    const { installId } = (await world.install(app, {}, { from })).body;
    const key = app.keys.live;
    await world.call('POST', '/v1/sdk/identify', { key, body: { installId, userId: 'ada' } });
    await world.call('POST', '/v1/sdk/open', {
      key,
      from,
      body: { installId, fingerprint: { platform: 'IOS' } },
    });
    await world.call('POST', '/v1/sdk/event', {
      key,
      body: { installId, eventName: 'level', userId: 'ada' },
    });
    const ipHash = service.secrets.hashAddress(app.id, from);
    const request = newErasureRequest(service, app, { userId: 'ada', ipHash });
    await insertErasureRequests(service.db, [request]);

    const asked: RootOperationNode[] = [];
    const db = noting(service.db, asked);
    const goOn = async () => undefined;
    await storeIdentifiers({ ...service, db }, request, goOn);
    await erasePerson({ ...service, db }, request, goOn);
    await completeErasures({ ...service, db }, [request], goOn);

    const { counts } = (await findErasureRequest(service.db, app.id, request.id)) ?? {};
    assert.deepEqual(JSON.parse(counts ?? '{}'), {
      installs: 1,
      clicks: 1,
      openEvents: 1,
      events: 1,
      webhookMessages: 0,
    });
    assert.ok(asked.length > 20, `only ${asked.length} statements`);
    for (const node of asked) {
      const { sql, steps } = await explain(service.db, node);
      for (const { detail } of steps as { detail: string }[]) {
        assert.doesNotMatch(detail, WHOLE_TABLE, sql);
        assert.doesNotMatch(detail, WHOLE_APP, sql);
      }
    }
  });
});
