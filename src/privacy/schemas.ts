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
  dryRun: Type.Optional(
    Type.Boolean({ description: 'true: counts what would be erased, and erases nothing' }),
  ),
  spareShared: Type.Optional(
    Type.Boolean({
      description:
        'true: leaves out the records that nobody is known to have made, and that have an address in common with the person',
    }),
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

/** The identifiers that were given, by name: their values are about a person. */
export function namesOf(given: { ipAddress: string | null; userId: string | null }): string[] {
  return Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [name]));
}

const count = Type.Integer({ minimum: 0 });
const ErasureCounts = Named('ErasureCounts', {
  clicks: count,
  installs: count,
  events: count,
  openEvents: count,
  webhookMessages: count,
  waitingPurchases: count,
});
export type Counts = Static<typeof ErasureCounts>;
export const NO_COUNTS: Counts = {
  ...{ clicks: 0, installs: 0, events: 0, openEvents: 0 },
  ...{ webhookMessages: 0, waitingPurchases: 0 },
};

/** Response of `POST /v1/privacy/erase` with `dryRun`. */
export const ErasureCounted = Named('ErasureCounted', {
  counts: ErasureCounts,
  shared: Type.Unsafe<Counts>({
    ...ErasureCounts,
    description:
      'Records that nobody is known to have made, at an address of the person or the one given: part of counts, unless spareShared leaves them out',
  }),
  isComplete: Type.Boolean({ description: 'false: there are more, and counting stopped after 20 seconds' }),
});

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

const Days = (description: string) =>
  Nullable(Type.Integer({ minimum: 1 }), { description: `${description}; null: until they are erased` });

/** Response of `GET /v1/privacy/retention`. */
export const KeptDays = Named('RetentionDays', {
  clicks: Days('CLICK_RETENTION_DAYS'),
  installs: Days('Installs'),
  openEvents: Days('Opens'),
  events: Days('EVENT_RETENTION_DAYS'),
  webhookMessages: Days('WEBHOOK_RETENTION_DAYS, as far as events and due attempts permit'),
});

/** Query of `GET /v1/privacy/erase`. */
export const ListErasures = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  before: Type.Optional(
    Type.String({
      description: 'Id of the last request of the previous page, or a time: lists the requests before it',
    }),
  ),
});

/** Item of `GET /v1/privacy/erase`. */
export const ListedErasure = Named('ListedErasure', {
  ...Erasure.properties,
  identifiers: Type.Array(Type.Enum(['ipAddress', 'userId']), {
    description: 'Which were given; empty for a completed request of a version that did not store it',
  }),
  spareShared: Type.Boolean({ description: 'Whether records of nobody known are left out' }),
  counts: Type.Unsafe<Counts>({ ...ErasureCounts, description: 'Erased so far' }),
});

/** Without the values of the identifiers. */
export function presentListed(request: ErasureRequest): Static<typeof ListedErasure> {
  const names = namesOf({ ipAddress: request.ip_hash, userId: request.user_id });
  return {
    ...presentErasure(request),
    identifiers: (request.identifiers === null ? names : JSON.parse(request.identifiers)) as (
      | 'ipAddress'
      | 'userId'
    )[],
    spareShared: request.spare_shared === 1,
    counts: { ...NO_COUNTS, ...(JSON.parse(request.counts) as Partial<Counts>) },
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
  shareLinks: Type.Optional(Records('Links that the person’s installs made; left out without any')),
  waitingPurchases: Type.Optional(
    Records('Purchases by RevenueCat that wait for their user; left out without any'),
  ),
  waitingAppleAdsTokens: Type.Optional(
    Records('Tokens of Apple Ads that Apple has not answered yet; left out without any'),
  ),
});
