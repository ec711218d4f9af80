import { type Static, Type } from 'typebox';
import { Key, type KeyRow, presentKey, ROLES } from '../auth/index.ts';
import type { InvitationsTable, SessionsTable } from '../db/index.ts';
import { nameBrowser } from '../devices/index.ts';
import { isoTime } from '../lib/clock.ts';
import { Id, Named, NameText, Nullable, Text, Timestamp } from '../server/schemas.ts';
import { EMAIL_PATTERN, MAX_EMAIL_CHARACTERS, TOKEN_MS, type UserRow } from './account.ts';
import type { AppOfUser, Member } from './membership-queries.ts';

const Email = Text(EMAIL_PATTERN, 'an email address in ASCII such as ada@example.com', {
  maxLength: MAX_EMAIL_CHARACTERS,
});
/** Of an account that may be older than the rule; it is only looked up, as it was stored. */
const GivenEmail = Type.String({ minLength: 1, maxLength: MAX_EMAIL_CHARACTERS });
const Name = NameText(255);
const Password = Type.String({ minLength: 10, maxLength: 256 });
/** Of any length, since it may be older than the rule. */
const GivenPassword = Type.String({ minLength: 1, maxLength: 256 });
const Token = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'What follows # in the one-time address',
});
const RoleOf = Type.Enum([...ROLES]);

export const SignIn = Named('SignIn', { email: GivenEmail, password: GivenPassword });
export const ChangePassword = Named('ChangePassword', { current: GivenPassword, next: Password });
export const SetUp = Named('SetUp', { token: Token, email: Email, name: Name, password: Password });
export const AcceptInvitation = Named('AcceptInvitation', {
  token: Token,
  name: Type.Optional(Name),
  password: Type.Optional(Password),
});
export const CreateInvitation = Named('CreateInvitation', { email: Email, role: RoleOf });
const revokeKeys = Type.Boolean({
  default: false,
  description: 'Whether the keys that the member made for the app are revoked, too',
});
export const UpdateMember = Named('UpdateMember', { role: RoleOf, revokeKeys: Type.Optional(revokeKeys) });
/** Query of `DELETE /v1/users/{userId}`. */
export const RemoveMember = Type.Object({ revokeKeys });
export const RequestPasswordReset = Named('RequestPasswordReset', { email: GivenEmail });
export const ResetPassword = Named('ResetPassword', { token: Token, password: Password });
export const CreateSetupAddress = Named('CreateSetupAddress', {
  email: Type.Optional(
    Nullable(Email, {
      description:
        'an email address in ASCII such as ada@example.com, to which the setup address is mailed. Needed with a session',
    }),
  ),
});
export const UpdateUser = Named('UpdateUser', {
  isOperator: Type.Optional(Type.Boolean()),
  isDisabled: Type.Optional(
    Type.Boolean({ description: 'true: the user cannot sign in, and every session ends' }),
  ),
});

export const User = Named('User', {
  id: Id,
  email: Type.String(),
  name: Type.String(),
  isOperator: Type.Boolean({ description: 'Sees every app, as an owner' }),
  isEmailProven: Type.Boolean({
    description: 'By OpenID Connect, or by opening an address that was mailed to it',
  }),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  disabledAt: Nullable(Timestamp, { description: 'Since when the user cannot sign in' }),
});
export const Session = Named('Session', {
  user: User,
  apps: Type.Array(Named('AppOfUser', { id: Id, name: Type.String(), role: RoleOf })),
  signIn: Named('SignInMethods', {
    password: Type.Boolean({ description: 'Whether the user has a password' }),
    oidc: Type.Boolean({ description: 'Whether the user has signed in by OpenID Connect' }),
  }),
});
export const SessionOptions = Named('SessionOptions', {
  password: Type.Boolean(),
  oidc: Nullable(Named('OidcProvider', { name: Type.String() })),
  mail: Type.Boolean({
    description: 'Whether the service sends mails; otherwise an operator makes addresses for new passwords',
  }),
  setupNeeded: Type.Boolean({ description: 'Whether the service has no user yet' }),
});
export const SetupAddress = Named('SetupAddress', {
  url: Nullable(Type.String(), {
    description: 'One-time address, in this response only; valid for 7 days. Null if it was mailed',
  }),
});
export const PasswordResetRequested = Named('PasswordResetRequested', {
  mailed: Type.Boolean({
    description:
      'Whether the service sends mails: one goes to the email if a user with a password has it. Otherwise ask an operator for an address',
  }),
});
export const PasswordResetAddress = Named('PasswordResetAddress', {
  url: Type.String({ description: 'One-time address to pass on, in this response only; valid for an hour' }),
});
export const SessionRecord = Named('SessionRecord', {
  id: Id,
  userAgent: Nullable(Type.String()),
  browser: Nullable(Type.String(), { description: 'With its major version, such as `Firefox 140`' }),
  system: Nullable(Type.String(), { description: 'Such as `macOS`' }),
  isCurrent: Type.Boolean({ description: 'Whether it is the session of this request' }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
});
const Inviter = Named('Inviter', { name: Type.String(), email: Type.String() });
const invitationFields = {
  id: Id,
  email: Type.String(),
  role: RoleOf,
  createdAt: Timestamp,
  createdBy: Nullable(Id, { description: 'The user who invites' }),
  inviter: Inviter,
  expiresAt: Timestamp,
};
export const Invitation = Named('Invitation', invitationFields);
export const NewInvitation = Named('NewInvitation', {
  ...invitationFields,
  url: Type.String({ description: 'One-time address for the invited person, in this response only' }),
  mailed: Type.Boolean({
    description: 'Whether the mail server has accepted a mail with the address; otherwise pass it on',
  }),
});
export const ReadInvitation = Named('ReadInvitation', { token: Token });
/** For the person who is invited. */
export const OpenedInvitation = Named('OpenedInvitation', {
  appName: Type.String(),
  email: Type.String(),
  role: RoleOf,
  inviter: Inviter,
  expiresAt: Timestamp,
  hasAccount: Type.Boolean({ description: 'Whether a user has the email, and signs in to accept' }),
});
export const AppMember = Named('AppMember', {
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: RoleOf,
  lastUsedAt: Nullable(Timestamp),
  keys: Type.Array(Key, { description: 'Active keys of the app that the member made, newest first' }),
});

export function presentUser(user: UserRow): Static<typeof User> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    isOperator: user.is_operator === 1,
    isEmailProven: user.email_proven_at !== null,
    createdAt: user.created_at,
    lastUsedAt: user.last_used_at,
    disabledAt: user.disabled_at,
  };
}

export function presentSession(user: UserRow, apps: readonly AppOfUser[]): Static<typeof Session> {
  return {
    user: presentUser(user),
    apps: [...apps],
    signIn: { password: user.password_hash !== null, oidc: user.oidc_subject !== null },
  };
}

export function presentSessionRecord(row: SessionsTable, currentId: string): Static<typeof SessionRecord> {
  return {
    id: row.id,
    userAgent: row.user_agent,
    ...nameBrowser(row.user_agent),
    isCurrent: row.id === currentId,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

export function presentInvitation(
  row: InvitationsTable,
  { name, email }: Static<typeof Inviter>,
): Static<typeof Invitation> {
  return {
    id: row.id,
    email: row.email,
    role: row.role as Static<typeof RoleOf>,
    createdAt: row.created_at,
    createdBy: row.made_by,
    inviter: { name, email },
    expiresAt: endOf(row),
  };
}

export function presentOpened(
  row: InvitationsTable,
  { appName, inviter, hasAccount }: { appName: string; inviter: UserRow; hasAccount: boolean },
): Static<typeof OpenedInvitation> {
  const { email, role } = row;
  return {
    ...{ appName, email, role: role as Static<typeof RoleOf> },
    inviter: { name: inviter.name, email: inviter.email },
    ...{ expiresAt: endOf(row), hasAccount },
  };
}

function endOf({ created_at: createdAt }: InvitationsTable): string {
  return isoTime(Date.parse(createdAt) + TOKEN_MS);
}

/** @param keys active ones of the app */
export function presentMember(
  { last_used_at: lastUsedAt, ...member }: Member,
  keys: readonly KeyRow[],
): Static<typeof AppMember> {
  const own = keys.filter(({ made_by: madeBy }) => madeBy === member.id);
  return { ...member, lastUsedAt, keys: own.map(presentKey) };
}
