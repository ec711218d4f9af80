import { type Static, Type } from 'typebox';
import { Id, Named, NameText, Nullable, Timestamp } from '../server/schemas.ts';
import { OVERLAP_DAYS } from './change-key.ts';
import { KEY_KINDS, nameOf } from './key.ts';
import type { KeyRow } from './queries.ts';

const MAKERS = ['user', 'admin', 'command_line', 'first_start'] as const;
const Name = NameText(64);

const keyFields = {
  id: Id,
  name: Type.String({ description: 'Its own, or one that says what kind of key it is' }),
  kind: Type.Enum([...KEY_KINDS]),
  hint: Type.String({ description: 'The first and the last characters of the key' }),
  createdAt: Timestamp,
  createdBy: Nullable(
    Named('KeyMaker', {
      type: Type.Enum([...MAKERS], { description: 'admin is the admin token, by the API' }),
      userId: Nullable(Id, { description: 'Of a user, also one who was deleted' }),
      email: Nullable(Type.String(), {
        description: 'That the user has now; null for a deleted user, and for others',
      }),
    }),
    { description: 'Null for keys of before accounts' },
  ),
  lastUsedAt: Nullable(Timestamp, { description: 'The last use was at this time, or up to an hour later' }),
  endsAt: Nullable(Timestamp, { description: 'Of a rotated key: from then on it is refused' }),
  replaces: Nullable(Id, { description: 'The key whose place it took by a rotation' }),
  replacedBy: Nullable(Id, { description: 'The key that took its place by a rotation' }),
  revokedAt: Nullable(Timestamp),
};
export const Key = Named('Key', {
  ...keyFields,
  key: Nullable(Type.String(), {
    description:
      'Of a publishable key, the key itself, which is public. Null for secret keys, and for publishable ones of before migration 0025 until they are used',
  }),
});
const ThisOnce = Type.String({ description: 'The key; of a secret one in this response only' });
export const NewKey = Named('NewKey', { ...keyFields, key: ThisOnce });
export const RotatedKey = Named('RotatedKey', { ...keyFields, key: ThisOnce, replaced: Key });

export const CreateKey = Named('CreateKey', {
  kind: Type.Enum([...KEY_KINDS]),
  name: Type.Optional(Nullable(Name)),
});
const endsAt = Type.Optional(
  Type.String({
    description: `When the rotated key ends: a date-time from now to ${OVERLAP_DAYS.max} days ahead`,
  }),
);
export const UpdateKey = Named('UpdateKey', {
  name: Type.Optional(
    Nullable(Name, {
      description: `${(Name as { description?: string }).description}; null for the name of its kind`,
    }),
  ),
  endsAt,
});
export const RotateKey = Named('RotateKey', {
  endsAt,
  endsInDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OVERLAP_DAYS.max,
      description: `In place of endsAt; default ${OVERLAP_DAYS.default}`,
    }),
  ),
});

export function presentKey(row: KeyRow): Static<typeof Key> {
  return {
    id: row.id,
    name: nameOf(row),
    kind: row.kind as Static<typeof Key>['kind'],
    hint: row.hint,
    createdAt: row.created_at,
    createdBy: presentMaker(row),
    lastUsedAt: row.last_used_at,
    endsAt: row.ends_at,
    replaces: row.replaces,
    replacedBy: row.replaced_by,
    revokedAt: row.revoked_at,
    key: row.public_key,
  };
}

function presentMaker({ maker, made_by: userId, maker_email: email }: KeyRow) {
  // Processes of before migration 0025 stored users only.
  const type = maker ?? (userId === null ? null : 'user');
  return type === null ? null : { type: type as (typeof MAKERS)[number], userId, email };
}
