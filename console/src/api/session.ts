/** The signed-in user, and the ways to sign in. */

import {
  acceptInvitation as acceptInvitationCall,
  createSession,
  deleteSession,
  readInvitation as readInvitationCall,
  readSession,
  readSessionOptions,
  requestPasswordReset as requestPasswordResetCall,
  resetPassword as resetPasswordCall,
  setUp as setUpCall,
} from '@generated/sdk.gen.ts';
import type {
  AcceptInvitation,
  AppOfUser,
  OpenedInvitation,
  PasswordResetRequested,
  ResetPassword,
  Session,
  SetUp,
  SignIn,
} from '@generated/types.gen.ts';
import { queryOptions } from '@tanstack/react-query';
import { account, SERVICE_URL } from './client.ts';
import { ApiError } from './error.ts';
import { isPath } from './is-path.ts';

export type { AppOfUser, Session, User } from '@generated/types.gen.ts';
export type Role = AppOfUser['role'];

const call = { client: account, throwOnError: true } as const;

/** Null for visitors who have not signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSessionOrNull,
  staleTime: 60_000,
});

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: async () => (await readSessionOptions(call)).data,
  staleTime: 60_000,
});

async function readSessionOrNull(): Promise<Session | null> {
  try {
    return (await readSession(call)).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export async function signIn(body: SignIn): Promise<Session> {
  return (await createSession({ ...call, body })).data;
}

export async function signOut(): Promise<void> {
  await deleteSession(call);
}

export async function setUp(body: SetUp): Promise<Session> {
  return (await setUpCall({ ...call, body })).data;
}

export async function requestPasswordReset(email: string): Promise<PasswordResetRequested> {
  return (await requestPasswordResetCall({ ...call, body: { email } })).data;
}

export async function resetPassword(body: ResetPassword): Promise<Session> {
  return (await resetPasswordCall({ ...call, body })).data;
}

export async function acceptInvitation(body: AcceptInvitation): Promise<Session> {
  return (await acceptInvitationCall({ ...call, body })).data;
}

/** What the invitation of a one-time address says. */
export async function readInvitation(token: string): Promise<OpenedInvitation> {
  return (await readInvitationCall({ ...call, body: { token } })).data;
}

/** The address at which the provider of OpenID Connect signs in. @param next the page to go on to, without the console's path. */
export function oidcAddress(next: string | undefined): string {
  const page =
    next === undefined || !isPath(next) || next.length > MAX_NEXT ? '' : `?next=${encodeURIComponent(next)}`;
  return `${SERVICE_URL}v1/session/oidc${page}`;
}

/** What the service takes. */
const MAX_NEXT = 1_024;
