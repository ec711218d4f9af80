/** A listening socket that somebody else holds, as a socket unit of systemd does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePlace } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { RawConnection, rawRequest } from '../helpers/raw-http.ts';
import { startWithHeldSocket } from '../helpers/socket-holder.ts';

describe('a process with a socket that was handed over', { skip: process.platform === 'win32' }, () => {
  it('listens there in place of PORT, and leaves connections to the next process when it stops', {
    timeout: 90_000,
  }, async (t) => {
    const place = await makePlace('sqlite');
    const port = await freePort();
    const server = await startWithHeldSocket(place, port, { PORT: '1', LOG_LEVEL: 'info' });
    t.after(async () => {
      await server.end();
      await place.remove();
    });
    assert.match(server.output(), /PORT has no effect: .* has \d+\. Change the socket unit/);
    assert.match(server.output(), new RegExp(`"url":"http://127.0.0.1:${port}".*Throughline is listening`));

    const idle = await RawConnection.open(server.url);
    t.after(() => idle.destroy());
    idle.send(rawRequest('GET', '/healthz'));
    assert.equal((await idle.answer())?.status, 200);
    const first = server.pid();
    const restarted = server.restart();
    // Every new connection is accepted by the one process or waits for the other one.
    const answers = [];
    while (server.pid() === first) answers.push(await fetch(`${server.url}/openapi.json`));
    await restarted;
    assert.ok(answers.length > 0);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });
});
