import { type Static, Type } from 'typebox';
import { Id } from '../platform/http/schemas.ts';

/** Installs in one deletion. */
export const MAX_INSTALLS = 1_000;

/**
 * Body of `POST /v1/installs/deletions`: all given fields must hold; `readFilter` asks for one of the first three. Unlike
 * elsewhere an unknown field is refused: a misspelt condition would delete more.
 */
export const DeleteInstalls = Type.Object(
  {
    installIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_INSTALLS })),
    sameAddressAs: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Id of an install: those from its address, an IPv6 network /64 counting whole',
      }),
    ),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Recorded then or later' })),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Recorded before; default: now. Only with `from`' }),
    ),
    shortCode: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Attributed to this link, deleted or not' }),
    ),
    method: Type.Optional(Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'])),
    dryRun: Type.Optional(Type.Boolean({ description: 'Delete nothing and count the installs that match' })),
  },
  { additionalProperties: false },
);
export type DeleteInstallsInput = Static<typeof DeleteInstalls>;

const Count = Type.Integer({ minimum: 0 });
/** Answer of `POST /v1/installs/deletions`. */
export const InstallsDeleted = Type.Object({
  installs: Type.Integer({ minimum: 0, description: 'Deleted; with `dryRun`, all that match' }),
  opens: Count,
  events: Count,
  isComplete: Type.Boolean({
    description:
      'False where more are left: send the same request again. With `dryRun`, false where any match',
  }),
});
export type InstallsDeletedAnswer = Static<typeof InstallsDeleted>;
