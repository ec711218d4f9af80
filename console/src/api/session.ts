/** The signed-in user, and the ways to sign in. */
import { queryOptions } from '@tanstack/react-query';
import { account } from './client.ts';
import { ApiError } from './error.ts';

export type Role = 'owner' | 'editor' | 'viewer';

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
}

export interface AppOfSession {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface Session {
  readonly user: User;
  readonly apps: readonly AppOfSession[];
}

export interface SignInOptions {
  readonly oidc: { readonly name: string } | null;
  readonly setupNeeded: boolean;
}

/** Null for visitors who have not signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: 60_000,
});

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => call<SignInOptions>('get', '/v1/session/options'),
  staleTime: 60_000,
});

async function readSession(): Promise<Session | null> {
  try {
    return await call<Session>('get', '/v1/session');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export async function signIn(body: { email: string; password: string }): Promise<Session> {
  return await call<Session>('post', '/v1/session', body);
}

export async function signOut(): Promise<void> {
  await call('delete', '/v1/session');
}

export async function changePassword(body: { current: string; next: string }): Promise<void> {
  await call('post', '/v1/session/password', body);
}

export async function setUp(body: {
  token: string;
  email: string;
  name: string;
  password: string;
}): Promise<Session> {
  return await call<Session>('post', '/v1/setup', body);
}

export async function acceptInvitation(body: {
  token: string;
  name?: string;
  password?: string;
}): Promise<Session> {
  return await call<Session>('post', '/v1/invitations/accept', body);
}

async function call<T>(method: 'get' | 'post' | 'delete', url: string, body?: object): Promise<T> {
  const headers = { 'Content-Type': 'application/json' };
  const { data } = await account[method]<{ 200: T }, unknown, true>({ url, body, headers });
  return data as T;
}
