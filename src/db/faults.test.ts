import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUnavailable } from './faults.ts';

describe('isUnavailable', () => {
  it('is true for deadlocks and serialization failures, false for other statement errors', () => {
    for (const code of ['40P01', '40001']) assert.equal(isUnavailable({ code }), true, code);
    for (const code of ['42P01', '23505']) assert.equal(isUnavailable({ code }), false, code);
  });

  it('is true when the server or TLS refuses the connection, for any reason', () => {
    for (const code of ['28000', '28P01', '3D000', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      assert.equal(isUnavailable({ code }), true, code);
    assert.equal(isUnavailable({ code: '55000', severity: 'FATAL' }), true);
    assert.equal(isUnavailable({ code: '55000', severity: 'ВАЖНО', routine: 'CheckMyDatabase' }), true);
    assert.equal(isUnavailable({ code: 'ENOENT', syscall: 'connect' }), true);
    assert.equal(isUnavailable({ code: 'ENOENT', syscall: 'open' }), false);
    assert.equal(isUnavailable({ code: '55000', severity: 'ERROR' }), false);
  });
});
