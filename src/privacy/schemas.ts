import { isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import { AppError } from '../errors.ts';
import { Id, Named, Nullable, Timestamp } from '../server/schemas.ts';
import type { ErasureRequest } from './queries.ts';

const identifiers = {
  ipAddress: Type.Optional(
    Nullable(Type.String({ maxLength: 64 }), {
      description: 'IPv4 or IPv6; one of ipAddress and userId is required',
    }),
  ),
  userId: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'In your system' }),
  ),
};

/** Body of `POST /v1/privacy/erase`; validated by `identifiersOf`. */
export const Erase = Named('ErasePerson', {
  ...identifiers,
  requesterEmail: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description: 'Kept in the audit log alone' }),
  ),
});
export type EraseInput = Static<typeof Erase>;

/** Body of `POST /v1/privacy/export`; validated by `identifiersOf`. */
export const Export = Named('ExportPerson', identifiers);
export type ExportInput = Static<typeof Export>;

/** @throws AppError `request.invalid` without an identifier, or with an invalid address. */
export function identifiersOf({ ipAddress, userId }: ExportInput): {
  ipAddress: string | null;
  userId: string | null;
} {
  if (ipAddress == null && userId == null)
    throw new AppError('request.invalid', { message: 'ipAddress or userId must be given, or both.' });
  // A zone is local to the caller's machine.
  if (ipAddress != null && (isIP(ipAddress) === 0 || ipAddress.includes('%')))
    throw new AppError('request.invalid', {
      message: 'ipAddress must be one IPv4 or IPv6 address, without port, zone or prefix length.',
    });
  return { ipAddress: ipAddress ?? null, userId: userId ?? null };
}

/** Response of `POST /v1/privacy/erase`. */
export const ErasureAccepted = Named('ErasureAccepted', {
  requestIds: Type.Array(Id, { description: 'One for each identifier given' }),
  status: Type.Enum(['pending']),
  message: Type.String(),
});

/** Response of `GET /v1/privacy/erase/{requestId}`. */
export const Erasure = Named('Erasure', {
  id: Id,
  status: Type.Enum(['pending', 'completed']),
  requestedAt: Timestamp,
  completedAt: Nullable(Timestamp),
});

/** Without the person's identifiers. */
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

/** Streamed; the fields are those of each module's `personal-data.ts`. */
export const Exported = Named('PersonExport', {
  clicks: Records('id, campaignId, platform, clickedAt, and all other stored fields'),
  installs: Records('id, attributionMethod, platform, installedAt, and all other stored fields'),
  events: Records('id, eventName, properties (JSON as a string), createdAt, and all other stored fields'),
  openEvents: Records('id, campaignId, attributionMethod, openedAt, and all other stored fields'),
});
