/** A burst of transactions does not deadlock on the connection pool. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertMany } from '../../../src/db/index.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { useWorld } from '../../helpers/world.ts';

/** Several times the number of connections. */
const TRANSACTIONS = 60;

for (const engine of engines)
  describe(`many concurrent transactions on ${engine}`, () => {
    const world = useWorld(engine);

    it('all complete, also if each is the first to write to its tables', async () => {
      const { service } = world;
      const app = await world.newApp();
      const message = () => ({
        app_id: app.id,
        id: service.ids.next(),
        event_type: 'test.webhook',
        record_id: service.ids.next(),
        sandbox: 0 as const,
        body: '{}',
      });
      await Promise.all(
        Array.from({ length: TRANSACTIONS }, () =>
          service.db.transaction().execute((tx) => insertMany(tx, 'webhook_messages', [message()])),
        ),
      );
      const [stored] = await queryStored(world.place, 'select count(*) as n from webhook_messages');
      assert.equal(Number(stored?.n), TRANSACTIONS);
    });
  });
