import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { byApp, type KeyRing, listActiveKeysOf } from '../auth/index.ts';
import { isoTime } from '../lib/clock.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { TOKEN_MS, type UserRow } from './account.ts';
import { findManager } from './authors.ts';
import { invite, revokeInvitation } from './invitations.ts';
import { changeRole, removeMember } from './members.ts';
import { listInvitations, listMembers } from './membership-queries.ts';
import {
  AppMember,
  CreateInvitation,
  Invitation,
  NewInvitation,
  presentInvitation,
  presentMember,
  RemoveMember,
  UpdateMember,
} from './schemas.ts';
import type { AccountDeps } from './sign-in.ts';

const common = { tags: ['Accounts'] };
const config = { role: 'owner' } as const;

type MemberDeps = AccountDeps & { readonly keyRing: KeyRing };

/** Members and invitations of the session's app; the enclosing scope has found the app and the role. */
export const memberRoutes: FastifyPluginAsyncTypebox<MemberDeps> = async (api, deps) => {
  memberRoutesOf(api, deps);
  invitationRoutesOf(api, deps);
};

function memberRoutesOf(api: Api, deps: MemberDeps): void {
  const params = Type.Object({ userId: Type.String() });
  api.get('/v1/users', {
    config,
    schema: {
      ...common,
      operationId: 'listUsers',
      summary: 'List the members of the app, by email',
      response: { 200: Type.Array(AppMember), ...errorResponses(400, 404, 429, 503) },
    },
    handler: async ({ actor: { appId } }) => {
      const keys = await listActiveKeysOf(deps.db, appId, { madeBy: null, now: isoTime(deps.clock.nowMs()) });
      return (await listMembers(deps.db, appId)).map((member) => presentMember(member, keys));
    },
  });
  api.patch('/v1/users/:userId', {
    config,
    schema: {
      ...common,
      operationId: 'updateUser',
      summary: 'Change the role of a member; lists the active keys that the member made',
      params,
      body: UpdateMember,
      bodyExample: { role: 'editor' },
      response: { 200: AppMember, ...errorResponses(400, 404, 409, 413, 415, 429, 503) },
    },
    handler: async ({ actor, params: { userId }, body: { role, revokeKeys = false } }) => {
      const member = await changeRole(deps, { actor, userId, role, revokeKeys });
      const made = { madeBy: member.id, now: isoTime(deps.clock.nowMs()) };
      return presentMember(member, await listActiveKeysOf(deps.db, actor.appId, made));
    },
  });
  api.delete('/v1/users/:userId', {
    config,
    schema: {
      ...common,
      operationId: 'removeUser',
      summary:
        'Remove a member from the app; an account without an app is deleted, unless it is an operator’s',
      params,
      querystring: RemoveMember,
      response: { 204: NoContent, ...errorResponses(400, 404, 409, 429, 503) },
    },
    handler: async ({ actor, params: { userId }, query: { revokeKeys } }, reply) => {
      await removeMember(deps, { actor, userId, revokeKeys });
      return reply.code(204).send(null);
    },
  });
}

function invitationRoutesOf(api: Api, deps: AccountDeps): void {
  api.get('/v1/invitations', {
    config,
    schema: {
      ...common,
      operationId: 'listInvitations',
      summary:
        'List the open invitations to the app, newest first; without those whose author is no owner any more',
      response: { 200: Type.Array(Invitation), ...errorResponses(400, 404, 429, 503) },
    },
    handler: async ({ actor: { appId } }) => {
      const madeAfter = isoTime(deps.clock.nowMs() - TOKEN_MS);
      const invitations = await listInvitations(deps.db, appId, madeAfter);
      const inviters = new Map<string | null, UserRow | null>();
      for (const author of new Set(invitations.map((one) => one.made_by)))
        inviters.set(author, await findManager(deps.db, appId, author));
      return invitations.flatMap((one) => {
        const inviter = inviters.get(one.made_by);
        return inviter == null ? [] : [presentInvitation(one, inviter)];
      });
    },
  });
  api.post('/v1/invitations', {
    config: { ...config, rateLimit: byApp('invitations', 30) },
    schema: {
      ...common,
      operationId: 'createInvitation',
      summary:
        'Invite a person to the app, by mail if the service has a mail server; replaces an earlier invitation of the same address',
      body: CreateInvitation,
      bodyExample: { email: 'ada@example.com', role: 'editor' },
      response: { 201: NewInvitation, ...errorResponses(400, 404, 409, 413, 415, 429, 503) },
    },
    handler: async ({ actor, body: { email, role } }, reply) => {
      const { row, inviter, url, mailed } = await invite(deps, { actor, email, role });
      return reply.code(201).send({ ...presentInvitation(row, inviter), url, mailed });
    },
  });
  api.delete('/v1/invitations/:invitationId', {
    config,
    schema: {
      ...common,
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation',
      params: Type.Object({ invitationId: Type.String() }),
      response: { 204: NoContent, ...errorResponses(400, 404, 429, 503) },
    },
    handler: async ({ actor, params: { invitationId } }, reply) => {
      await revokeInvitation(deps, { actor, invitationId });
      return reply.code(204).send(null);
    },
  });
}
