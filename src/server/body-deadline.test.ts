import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, beforeEach, describe, it, mock } from 'node:test';
import { BodyDeadlines, REQUEST_TIMEOUT_MS } from './body-deadline.ts';

describe('the deadline of a body', () => {
  let ended = 0;
  const deadlines = new BodyDeadlines(() => {
    ended += 1;
  });

  function begin(headers: Record<string, string>) {
    const request = Object.assign(new EventEmitter(), { headers, complete: false, socket: {} });
    const response = new EventEmitter();
    deadlines.start(request as unknown as IncomingMessage, response as unknown as ServerResponse);
    return { request, response };
  }

  beforeEach(() => {
    ended = 0;
    mock.timers.reset();
    mock.timers.enable({ apis: ['setTimeout'] });
  });

  after(() => mock.timers.reset());

  it('ends a request whose body does not arrive, and no other', () => {
    begin({ 'content-length': '10' });
    begin({});
    const complete = begin({ 'transfer-encoding': 'chunked' });
    complete.request.emit('end');
    mock.timers.tick(REQUEST_TIMEOUT_MS - 1);
    assert.equal(ended, 0);
    mock.timers.tick(1);
    assert.equal(ended, 1);
  });

  it('is later for a route that takes long bodies', () => {
    const { request } = begin({ 'content-length': '10' });
    deadlines.extend(request as unknown as IncomingMessage, 2 * REQUEST_TIMEOUT_MS);
    mock.timers.tick(REQUEST_TIMEOUT_MS);
    assert.equal(ended, 0);
    mock.timers.tick(REQUEST_TIMEOUT_MS);
    assert.equal(ended, 1);
  });
});
