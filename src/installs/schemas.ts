import { type Static, Type } from 'typebox';
import { Id, Named } from '../server/schemas.ts';

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
    method: Type.Optional(Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'])),
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
