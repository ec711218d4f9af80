import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainFault, explainMigrationFault } from './explain-fault.ts';
import { faultReason, NO_CONNECTIONS } from './fault-reason.ts';
import { isNodeAway, isShortOfConnections, isUnavailable } from './faults.ts';

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

describe('isNodeAway', () => {
  it('is true when the coordinator of a cluster does not reach a node, not when the client does not reach PostgreSQL', () => {
    for (const routine of ['ReportConnectionError', 'CheckConnectionTimeout'])
      assert.equal(isNodeAway({ code: '08006', routine }), true, routine);
    for (const error of [
      { code: '08006' },
      { code: 'ECONNREFUSED', syscall: 'connect' },
      { code: '57P01' },
      null,
    ])
      assert.equal(isNodeAway(error), false);
  });
});

describe('isShortOfConnections', () => {
  it('is true at the limit of PostgreSQL and of PgBouncer, and /readyz has the reason', () => {
    const limits = [
      { code: '53300', message: 'sorry, too many clients already' },
      { code: '08P01', message: 'no more connections allowed (max_client_conn)' },
    ];
    for (const error of limits) {
      assert.equal(isShortOfConnections(error), true, error.message);
      assert.equal(faultReason(error), NO_CONNECTIONS);
    }
    assert.equal(isShortOfConnections({ code: '08P01', message: 'invalid message format' }), false);
  });
});

describe('the explanation of a failed migration', () => {
  it('does not send the operator to an empty database, as that of a first start does', () => {
    const url = 'postgres://localhost/throughline';
    const error = { code: '42703', message: 'column "a" does not exist' };
    assert.match(explainFault(error, url), /Use an empty database/);
    assert.equal(explainMigrationFault(error, url), 'column "a" does not exist');
    assert.match(explainMigrationFault({ code: '42501', message: 'no' }, url), /Allow its user/);
  });
});
