/** Roles: what each role may call, over every operation that a secret key opens. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ROLES, type Role } from '../../../src/auth/index.ts';
import { callAs, newUser, type TestUser } from '../../helpers/accounts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { Caller, type Operation, operationsOf } from '../../helpers/operations.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { storedRows } from '../../helpers/refusal.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

/** Operations of the app that need more than to read; those that are not listed need an owner. */
const EDITOR = new Set([
  'POST /v1/links',
  'PATCH /v1/links/{shortCode}',
  'DELETE /v1/links/{shortCode}',
  'POST /v1/links/batch',
  'PATCH /v1/links/batch',
  'POST /v1/links/deletions',
  'POST /v1/webhooks',
  'PATCH /v1/webhooks/{webhookId}',
  'DELETE /v1/webhooks/{webhookId}',
  'POST /v1/webhooks/{webhookId}/test',
  'POST /v1/webhooks/{webhookId}/recovery',
  'POST /v1/webhooks/deliveries/{attemptId}/redelivery',
  'POST /v1/destinations',
  'PATCH /v1/destinations/{destinationId}',
  'DELETE /v1/destinations/{destinationId}',
  'POST /v1/destinations/{destinationId}/preview',
  'POST /v1/destinations/{destinationId}/test',
  'POST /v1/destinations/{destinationId}/recovery',
  'POST /v1/destinations/deliveries/{attemptId}/redelivery',
  'PUT /v1/skan/conversion-values',
  'POST /v1/costs',
  'POST /v1/hosts/check',
  'POST /v1/imports',
  'DELETE /v1/imports/{id}',
  'DELETE /v1/costs',
  'DELETE /v1/costs/{id}',
  'POST /v1/privacy/erase',
  'POST /v1/privacy/export',
]);
/** Reads for owners alone. */
const OWNER_READS = /^(GET|HEAD) \/v1\/(keys(\/\{keyId\})?|users|invitations)$/;

function neededFor({ method, path }: Operation): Role {
  const name = `${method} ${path}`;
  if (EDITOR.has(name)) return 'editor';
  if (OWNER_READS.test(name)) return 'owner';
  return method === 'GET' || method === 'HEAD' ? 'viewer' : 'owner';
}

for (const engine of neutralEngines)
  describe(`roles on ${engine}`, () => {
    const world = useWorld(engine);
    liftRateLimits();
    let caller: Caller;
    let app: TestApp;
    let operations: Operation[];
    const users = new Map<Role, TestUser>();
    before(async () => {
      caller = await Caller.of(world);
      app = caller.app;
      operations = operationsOf(world).filter(
        ({ acceptsSession, needsApp, path }) => acceptsSession && needsApp && path !== '/v1/live',
      );
      assert.ok(operations.length > 40, `${operations.length} operations`);
      for (const role of ROLES) users.set(role, await newUser(world, { appId: app.id, role }));
    });

    const call = (user: TestUser | undefined, operation: Operation, appId?: string) => {
      assert.ok(user);
      // A file, of which the service has to know the source.
      const isImport = operation.method === 'POST' && operation.path.endsWith('/imports');
      const path = `${caller.pathOf(operation)}${isImport ? '?source=csv' : ''}`;
      return callAs(world, user, operation.method, path, {
        ...(appId !== undefined && { appId }),
        ...(isImport && { body: {} }),
        ...(operation.body !== null && { body: caller.sample(operation) }),
      });
    };

    it('the OpenAPI document names the role that each operation needs', () => {
      for (const operation of operations)
        assert.equal(operation.role, neededFor(operation), `${operation.method} ${operation.path}`);
      for (const operation of adminOperations()) assert.equal(operation.role, 'operator');
    });

    for (const role of ['viewer', 'editor'] as const)
      it(`a user with the role ${role} gets 403 for what needs more, and changes nothing`, async () => {
        const stored = await storedRows(world);
        let refused = 0;
        for (const operation of operations) {
          const needed = neededFor(operation);
          if (ROLES.indexOf(needed) <= ROLES.indexOf(role)) continue;
          const answer = await call(users.get(role), operation, app.id);
          assert.equal(answer.status, 403, `${role}: ${operation.method} ${operation.path}`);
          assert.equal(answer.headers['x-service-error'], 'role.too_low');
          if (operation.method !== 'HEAD') assertError(answer, 403, 'role.too_low', `the role ${needed}`);
          refused += 1;
        }
        assert.ok(refused > 5);
        assert.deepEqual(await storedRows(world), stored);
      });

    it('every operation is open to its role and the ones above', async () => {
      for (const operation of operations)
        for (const role of ROLES) {
          if (ROLES.indexOf(role) < ROLES.indexOf(neededFor(operation))) continue;
          const { status, text } = await call(users.get(role), operation, app.id);
          const isOpen = ![401, 403, 429].includes(status) && status < 500;
          assert.ok(isOpen, `${role}: ${operation.method} ${operation.path} → ${status} ${text}`);
        }
    });

    it('an operator acts as an owner of every app', async () => {
      const operator = await newUser(world, { isOperator: true });
      for (const operation of operations) {
        const { status } = await call(operator, operation, app.id);
        assert.ok(![401, 403].includes(status), `${operation.method} ${operation.path} → ${status}`);
      }
    });

    it('a member of another app gets 404, and a request without an app 400', async () => {
      const other = await world.newApp();
      const stranger = await newUser(world, { appId: other.id });
      const stored = await storedRows(world);
      for (const operation of operations) {
        const name = `${operation.method} ${operation.path}`;
        for (const appId of [app.id, app.id.toUpperCase(), 'x', caller.given.linkCode ?? ''])
          assert.equal((await call(stranger, operation, appId)).status, 404, name);
        assert.equal((await call(stranger, operation)).status, 400, name);
      }
      assert.deepEqual(await storedRows(world), stored);
    });

    it('a session opens no endpoint of the SDK, and no metrics', async () => {
      const operator = await newUser(world, { isOperator: true });
      const closed = operationsOf(world).filter(
        ({ path }) => path.startsWith('/v1/sdk/') || path === '/metrics',
      );
      assert.ok(closed.length > 8);
      for (const operation of closed)
        assert.equal(
          (await call(operator, operation, app.id)).status,
          401,
          `${operation.method} ${operation.path}`,
        );
    });

    it('an operator’s session opens every endpoint of the admin token, without an app', async () => {
      const operator = await newUser(world, { isOperator: true });
      caller.given.userId = (await newUser(world, { isOperator: true })).id;
      for (const operation of adminOperations()) {
        const { status, text } = await call(operator, operation);
        const isOpen = ![400, 401, 403, 429].includes(status) && status < 500;
        assert.ok(isOpen, `${operation.method} ${operation.path} → ${status} ${text}`);
      }
    });

    it('any other user gets 403 for every endpoint of the admin token, and changes nothing', async () => {
      const stored = await storedRows(world);
      for (const operation of adminOperations()) {
        const answer = await call(users.get('owner'), operation, app.id);
        assert.equal(answer.status, 403, `${operation.method} ${operation.path}`);
        if (operation.method !== 'HEAD') assertError(answer, 403, 'role.too_low', 'an operator');
      }
      assert.deepEqual(await storedRows(world), stored);
    });

    const adminOperations = () => {
      const found = operationsOf(world).filter(({ path }) => path.startsWith('/v1/admin/'));
      assert.ok(found.length > 15, `${found.length} operations`);
      assert.ok(found.every(({ acceptsSession }) => acceptsSession));
      return found;
    };
  });
