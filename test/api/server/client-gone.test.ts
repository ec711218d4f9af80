/** Clients that go away in the middle of a request or a response. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`clients that go away on ${engine}`, () => {
    const lines: { level: number; msg: string }[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const world = useWorld(engine, {}, { log: pino({ level: 'debug' }, stream) });

    const dial = async (): Promise<Socket> => {
      const { api } = world.service;
      if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
      const socket = connect((api.server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const head = (method: string, path: string, headers: Record<string, string>) =>
      [
        `${method} ${path} HTTP/1.1`,
        'Host: links.test',
        ...Object.entries(headers).map((pair) => pair.join(': ')),
        '',
        '',
      ].join('\r\n');

    const ENDS: Readonly<Record<string, (socket: Socket) => void>> = {
      'closes the connection': (socket) => void socket.destroy(),
      'resets the connection': (socket) => void socket.resetAndDestroy(),
      'ends its side': (socket) => void socket.end(),
    };
    for (const [how, end] of Object.entries(ENDS)) {
      it(`a client that ${how} during an upload, an export or a stream is no error in the log`, async () => {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app);
        for (let number = 0; number < 200; number++) await world.tap(shortCode);
        const key = app.keys.live;
        const json = { 'content-type': 'application/json', 'x-api-key': key };
        const requests: readonly (readonly [string, string])[] = [
          [head('POST', '/v1/links', { ...json, 'content-length': '5000' }), '{"deepLinkPath":"/'],
          [head('POST', '/v1/sdk/events', { ...json, 'content-length': '50000' }), '{"events":['],
          [head('POST', '/v1/links', { ...json, 'transfer-encoding': 'chunked' }), '5\r\n{"dee\r\n'],
          [head('POST', '/v1/session', { ...json, 'content-length': '100' }), '{'],
          [
            head('POST', '/.well-known/skadnetwork/report-attribution', { ...json, 'content-length': '900' }),
            '{',
          ],
          [head('GET', '/v1/clicks?visitor=all', { 'x-api-key': key, accept: 'text/csv' }), ''],
          [head('GET', '/v1/live', { 'x-api-key': key }), ''],
          [head('GET', `/v1/links/${shortCode}/qr?size=2048`, { 'x-api-key': key }), ''],
          [head('GET', '/v1/stats', { 'x-api-key': key }), ''],
          [head('GET', `/l/${shortCode}`, {}), ''],
        ];
        const person = '{"userId":"nobody"}';
        const length = String(person.length);
        const exported = [
          head('POST', '/v1/privacy/export', { ...json, 'content-length': length }),
          person,
        ] as const;
        lines.length = 0;
        // The moment between the start of a response and its end is short.
        for (const [start, rest] of [...requests, ...Array.from({ length: 40 }, () => exported)])
          for (const waitMs of [0, 2, 4, 30]) {
            const socket = await dial();
            socket.write(start);
            socket.write(rest);
            if (waitMs > 0) await sleep(waitMs);
            end(socket);
          }
        await sleep(300);
        await waitFor('the requests to end', async () => {
          const { status } = await world.call('GET', '/v1/links', { key });
          return status === 200 || undefined;
        });
        assert.deepEqual(
          lines.filter(({ level }) => level >= 50),
          [],
        );
      });
    }
  });
