import { type Static, Type } from 'typebox';
import {
  ClientId,
  callFields,
  DeepLinkPayload,
  Fingerprint,
  presentRecord,
  recordFields,
  resultFields,
  TraceOfOpen,
} from '../attribution/index.ts';
import { Id, JsonObject, Named, Nullable, Timestamp } from '../server/schemas.ts';
import type { OpenRow } from './queries.ts';

/** Body of `POST /v1/sdk/open`. */
export const RecordOpen = Named('RecordOpen', {
  fingerprint: Fingerprint,
  clickId: callFields.clickId,
  installId: Type.Optional(Nullable(Id)),
  userId: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  debugBuild: callFields.debugBuild,
  deterministicOnly: callFields.deterministicOnly,
  openId: ClientId('open'),
});
export type RecordOpenInput = Static<typeof RecordOpen>;

/** Answer of `POST /v1/sdk/open`. */
export const OpenResult = Named('OpenResult', { ...resultFields, openId: Id });
export type OpenAnswer = Static<typeof OpenResult>;

/** Long links and advertising networks make long addresses; a tap of one is bounded by the header's size alone. */
const MAX_OPENED_URL_CHARACTERS = 8_192;

/** Body of `POST /v1/sdk/resolve`: `url` or `shortCode` is required; `shortCode` takes precedence. */
export const ResolveDeepLink = Named('ResolveDeepLink', {
  url: Type.Optional(Nullable(Type.String({ maxLength: MAX_OPENED_URL_CHARACTERS }))),
  shortCode: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  installId: Type.Optional(Nullable(Id)),
  fingerprint: Type.Optional(Nullable(Fingerprint, { description: 'Required with openId' })),
  debugBuild: Type.Optional(
    Nullable(Type.Boolean(), {
      description: 'Debug builds also resolve sandbox links. Test keys count as debug builds',
    }),
  ),
  deterministicOnly: callFields.deterministicOnly,
  openId: Type.Optional(
    Nullable(Id, {
      description:
        'UUID made by the client: records one open of the method DIRECT, however often it is sent. Without it, nothing is recorded',
    }),
  ),
});
export type ResolveDeepLinkInput = Static<typeof ResolveDeepLink>;

/** Answer of `POST /v1/sdk/resolve`; the optional fields come with `openId`. */
export const ResolvedDeepLink = Named('ResolvedDeepLink', {
  ...DeepLinkPayload.properties,
  openId: Type.Optional(Id),
  metadata: Type.Optional(JsonObject({ description: 'The link’s, where it has some' })),
});
export type ResolvedAnswer = Static<typeof ResolvedDeepLink>;

/** Part of the answer of `GET /v1/installs/{installId}`. */
export const OpenDetails = Named('OpenDetails', {
  id: Id,
  openedAt: Timestamp,
  ...recordFields,
  method: Type.Enum([...recordFields.method.enum, 'DIRECT']),
  explanation: TraceOfOpen,
});

/** Leaves out the device except for its model. */
export function presentOpen(open: OpenRow): Static<typeof OpenDetails> {
  return { id: open.id, openedAt: open.opened_at, ...presentRecord(open, 'open') } as Static<
    typeof OpenDetails
  >;
}
