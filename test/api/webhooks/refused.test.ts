/** Webhooks: a database that rejects one record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

/** Makes the log reject the receiver's response `thanks`. */
const REFUSALS = {
  postgres: `alter table webhook_attempts add check (response_body <> 'thanks') not valid`,
  sqlite: `create trigger refuse before insert on webhook_attempts when new.response_body = 'thanks'
    begin select raise(abort, 'refused'); end`,
};

for (const engine of engines)
  describe(`a database that rejects a response, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    it('one record that the database rejects delays no other delivery, and is stored without the response', async () => {
      await sql.raw(REFUSALS[engine]).execute(world.service.db);
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id } = await newWebhook(world, app, { url: hook.url, events: ['install.organic'] });
      for (let i = 0; i < 5; i++) await CAUSES['install.organic'](world, app);
      await hook.arrived(5);
      const records = await waitFor('all five records', async () => {
        const all = await deliveriesOf(world, app, id);
        return all.length === 5 ? all : undefined;
      });
      for (const record of records)
        assert.deepEqual(
          [record.success, record.response_body, record.error_message],
          [true, '', 'The response could not be stored.'],
        );
      assert.equal(hook.received.length, 5);
    });
  });
