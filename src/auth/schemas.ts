import { type Static, Type } from 'typebox';
import type { ApiKeysTable } from '../db/index.ts';
import { Id, Named, Nullable, Timestamp } from '../server/schemas.ts';
import { KEY_KINDS } from './key.ts';

const keyFields = {
  id: Id,
  kind: Type.Enum([...KEY_KINDS]),
  hint: Type.String({ description: 'The first and the last characters of the key' }),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
  createdBy: Nullable(Id, {
    description:
      'The user who made it; null for the admin token, the first start and keys of before accounts',
  }),
};
export const Key = Named('Key', keyFields);
export const NewKey = Named('NewKey', {
  ...keyFields,
  key: Type.String({ description: 'In this response only' }),
});
export const CreateKey = Named('CreateKey', { kind: Type.Enum([...KEY_KINDS]) });

export function presentKey(row: ApiKeysTable): Static<typeof Key> {
  return {
    id: row.id,
    kind: row.kind as Static<typeof Key>['kind'],
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    createdBy: row.made_by,
  };
}
