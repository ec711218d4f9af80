import { type Static, Type } from 'typebox';
import {
  ClientId,
  callFields,
  Method,
  presentRecord,
  recordFields,
  resultFields,
  TraceOfInstall,
} from '../attribution/index.ts';
import { findingsOf, NetworkClaim, networkFields, presentClaim, presentFindings } from '../networks/index.ts';
import { OpenDetails, type OpenRow, presentOpen } from '../opens/index.ts';
import { Id, Named, Nullable, Timestamp } from '../server/schemas.ts';
import type { InstallRow } from './queries.ts';

/** Body of `POST /v1/sdk/install`. */
export const RecordInstall = Named('RecordInstall', {
  ...callFields,
  ...networkFields,
  installId: ClientId('install'),
  existingUser: Type.Optional(
    Nullable(Type.Boolean(), {
      description:
        'True if the person had the app before the version that brought the SDK: recorded and counted apart, never attributed, and without a webhook event',
    }),
  ),
});
export type RecordInstallInput = Static<typeof RecordInstall>;

/** Answer of `GET /v1/installs/{installId}`. */
export const Install = Named('InstallDetails', {
  id: Id,
  platform: Type.Enum(['ANDROID', 'IOS']),
  installedAt: Timestamp,
  existingUser: Type.Boolean({
    description: 'The person had the app before the version that brought the SDK',
  }),
  invitedBy: Nullable(Id, {
    description: 'The install that made the link; null for none, or a forgotten one',
  }),
  network: Nullable(NetworkClaim),
  ...recordFields,
  explanation: TraceOfInstall,
  opens: Type.Array(OpenDetails, { description: 'The newest 100 opens' }),
});

/** Leaves out the device except for its platform and model. */
export function presentInstall({
  install,
  opens,
}: {
  install: InstallRow;
  opens: readonly OpenRow[];
}): Static<typeof Install> {
  const record = presentRecord(install, 'install');
  return {
    id: install.id,
    platform: install.platform as 'ANDROID' | 'IOS',
    installedAt: install.installed_at,
    existingUser: install.existing_user === 1,
    invitedBy: install.invited_by,
    network: presentClaim(install),
    ...record,
    explanation: { ...record.explanation, network: presentFindings(findingsOf(install)) },
    opens: opens.map(presentOpen),
  } as Static<typeof Install>;
}

/** Answer of `GET /v1/sdk/installs/{installId}/explanation`. */
export const InstallExplanation = Named('InstallExplanation', {
  installId: Id,
  method: resultFields.method,
  confidence: resultFields.confidence,
  campaignId: Nullable(Type.String()),
  shortCode: Nullable(Type.String(), { description: 'Of the link whose click was matched' }),
  network: Nullable(NetworkClaim),
  reason: recordFields.reason,
  explanation: Type.Unsafe<Static<typeof TraceOfInstall>>({
    ...TraceOfInstall,
    description:
      'As in GET /v1/installs/{installId}; the IDs of clicks that this install did not claim are cut',
  }),
});
export type InstallExplained = Static<typeof InstallExplanation>;

export const MAX_INSTALLS = 1_000;

/**
 * Body of `POST /v1/installs/deletions`; `readFilter` requires one of the first three fields. Unlike elsewhere, unknown
 * fields are invalid: a misspelt condition would delete more.
 */
export const DeleteInstalls = Named(
  'DeleteInstalls',
  {
    installIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_INSTALLS })),
    sameAddressAs: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Id of an install: matches installs from its address, or from its IPv6 /64 network',
      }),
    ),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Recorded at this time or later' })),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Recorded before this time; requires `from`' }),
    ),
    shortCode: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Attributed to this link, even if it is deleted',
      }),
    ),
    method: Type.Optional(Method),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only count the matching installs' })),
  },
  { additionalProperties: false },
);
export type DeleteInstallsInput = Static<typeof DeleteInstalls>;

const Count = Type.Integer({ minimum: 0 });
/** Answer of `POST /v1/installs/deletions`. */
export const InstallsDeleted = Named('InstallsDeleted', {
  installs: Type.Integer({ minimum: 0, description: 'Deleted; with `dryRun`, all matching ones' }),
  opens: Count,
  events: Count,
  isComplete: Type.Boolean({
    description: 'False if more are left: repeat the request. With `dryRun`, false if any match',
  }),
});
export type InstallsDeletedAnswer = Static<typeof InstallsDeleted>;
