/** Users of the console and their sessions. */
import { randomBytes, randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { sessionCookie } from '../../src/auth/cookie.ts';
import type { Role } from '../../src/auth/index.ts';
import { hashToken } from '../../src/auth/session.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { type Answer, type Call, freshAddress, type World } from './world.ts';

export const PASSWORD = 'a long enough password';

export interface TestUser {
  readonly id: string;
  readonly email: string;
  /** Value of the header `Cookie`. */
  readonly cookie: string;
}

/** A user with a session and without a password, and with a role in an app. */
export async function newUser(
  world: World,
  {
    appId,
    role = 'owner',
    isOperator = false,
    isProven = true,
  }: { appId?: string; role?: Role; isOperator?: boolean; isProven?: boolean } = {},
): Promise<TestUser> {
  const { db, ids } = world.service;
  const now = isoTime(world.clock.nowMs());
  const id = ids.next();
  const email = `${randomUUID().slice(0, 13)}@example.com`;
  await db
    .insertInto('users')
    .values({
      ...{ id, email, name: 'Ada', password_hash: null, oidc_subject: null },
      ...{ is_operator: isOperator ? 1 : 0, created_at: now, last_used_at: now },
      email_proven_at: isProven ? now : null,
    })
    .execute();
  if (appId !== undefined)
    await db
      .insertInto('memberships')
      .values({ app_id: appId, user_id: id, role, created_at: now })
      .execute();
  return { id, email, cookie: await newSession(world, id) };
}

/** @returns the value of the header `Cookie`. */
export async function newSession(world: World, userId: string): Promise<string> {
  const now = isoTime(world.clock.nowMs());
  const token = randomBytes(32).toString('base64url');
  await world.service.db
    .insertInto('sessions')
    .values({
      ...{ id: world.service.ids.next(), user_id: userId, token_hash: hashToken(token), user_agent: null },
      ...{ created_at: now, last_used_at: now },
    })
    .execute();
  return sessionCookie(world.service.config, token).split(';', 1)[0] ?? '';
}

/** Calls with a session. */
export async function callAs(
  world: World,
  { cookie }: Pick<TestUser, 'cookie'>,
  method: Parameters<World['call']>[0],
  url: string,
  { appId, headers, ...call }: Call & { appId?: string } = {},
): Promise<Answer> {
  return await world.call(method, url, {
    ...call,
    headers: { cookie, ...(appId !== undefined && { 'x-app-id': appId }), ...headers },
  });
}

/** The stored hash of a password. */
export async function hashOf({ service }: World, password: string): Promise<string> {
  const turn = {
    caller: 'test',
    isKnown: true,
    response: new ServerResponse(new IncomingMessage(new Socket())),
  };
  return await service.passwords.hash(password, turn);
}

/** Signs in from a fresh address. */
export async function signIn(
  world: World,
  email: string,
  {
    password = PASSWORD,
    cookie,
    from = freshAddress(),
  }: { password?: string; cookie?: string; from?: string } = {},
): Promise<Answer> {
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  return await world.call('POST', '/v1/session', { body: { email, password }, from, headers });
}

/** The `name=value` of `Set-Cookie`. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = ''] = [headers['set-cookie']].flat();
  return String(cookie).split(';', 1)[0] ?? '';
}
