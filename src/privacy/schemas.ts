import { isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import { AppError } from '../platform/errors.ts';
import { Id, Nullable, Timestamp } from '../platform/http/schemas.ts';
import type { ErasureRequest } from './queries.ts';

const whom = {
  ipAddress: Type.Optional(
    Nullable(Type.String({ maxLength: 64 }), {
      description: 'IPv4 or IPv6; one of ipAddress and userId is required',
    }),
  ),
  userId: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'In your system' }),
  ),
};

/** Body of `POST /v1/privacy/erase`; `identifiersOf` checks whom it names. */
export const Erase = Type.Object({
  ...whom,
  requesterEmail: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'Kept in the audit log alone' }),
  ),
});
export type EraseInput = Static<typeof Erase>;

/** Body of `POST /v1/privacy/export`; `identifiersOf` checks whom it names. */
export const Export = Type.Object(whom);
export type ExportInput = Static<typeof Export>;

/** Whom a body names. @throws AppError `request.invalid` where it names nobody, or by no address. */
export function identifiersOf({ ipAddress, userId }: ExportInput): {
  ipAddress: string | null;
  userId: string | null;
} {
  if (ipAddress == null && userId == null)
    throw new AppError('request.invalid', { message: 'ipAddress or userId must be given, or both.' });
  // A zone names an interface of one machine; to another one it says nothing.
  if (ipAddress != null && (isIP(ipAddress) === 0 || ipAddress.includes('%')))
    throw new AppError('request.invalid', {
      message: 'ipAddress must be one IPv4 or IPv6 address, without port, zone or prefix length.',
    });
  return { ipAddress: ipAddress ?? null, userId: userId ?? null };
}

/** Answer of `POST /v1/privacy/erase`. */
export const ErasureAccepted = Type.Object({
  requestIds: Type.Array(Id, { description: 'One for each identifier given' }),
  status: Type.Enum(['pending']),
  message: Type.String(),
});

/** Answer of `GET /v1/privacy/erase/{requestId}`. */
export const Erasure = Type.Object({
  id: Id,
  status: Type.Enum(['pending', 'completed']),
  requestedAt: Timestamp,
  completedAt: Nullable(Timestamp),
});

/** Without whom it is about. */
export function presentErasure(request: ErasureRequest): Static<typeof Erasure> {
  return {
    id: request.id,
    status: request.completed_at === null ? 'pending' : 'completed',
    requestedAt: request.requested_at,
    completedAt: request.completed_at,
  };
}

const Records = (fields: string) =>
  Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }), {
    description: fields,
  });

/** Written as a stream: the fields are those of `personal-data.ts` in each room. */
export const Exported = Type.Object({
  clicks: Records('id, campaignId, platform, clickedAt, and what else is stored of each'),
  installs: Records('id, attributionMethod, platform, installedAt, and what else is stored of each'),
  events: Records('id, eventName, properties (JSON as a string), createdAt, and what else is stored of each'),
  openEvents: Records('id, campaignId, attributionMethod, openedAt, and what else is stored of each'),
});
