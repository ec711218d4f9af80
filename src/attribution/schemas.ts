import { type Static, Type } from 'typebox';
import type { Claimant } from '../click-log/index.ts';
import { ErrorCode, Id, JsonObject, Named, Nullable, Timestamp } from '../server/schemas.ts';
import { explainTrace } from './explain-decision.ts';
import type { InstallRow, OpenRow } from './queries.ts';

// Wide bounds, so that unexpected device data loses no install.
const Text = Type.Optional(Nullable(Type.String({ maxLength: 1_024 })));
// Impossible sizes are accepted and ignored by the matching.
const Size = Type.Optional(Nullable(Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })));

/** Device data from an SDK; sizes in physical pixels, `screenDensity` is the pixel ratio. */
export const Fingerprint = Named('Fingerprint', {
  ipAddress: Text,
  userAgent: Type.Optional(Nullable(Type.String({ description: 'Cut at 1,024 characters' }))),
  platform: Type.String({ description: 'ANDROID or IOS, in any case' }),
  osVersion: Text,
  deviceModel: Text,
  screenWidth: Size,
  screenHeight: Size,
  screenDensity: Size,
  locale: Text,
  timezone: Text,
  appVersion: Text,
  sdkVersion: Text,
});
export const FINGERPRINT_EXAMPLE = {
  platform: 'IOS',
  osVersion: '17.5.1',
  deviceModel: 'iPhone15,2',
  screenWidth: 1179,
  screenHeight: 2556,
  screenDensity: 3,
  locale: 'en_US',
  timezone: 'Europe/Berlin',
  appVersion: '4.2.0',
};
export type FingerprintInput = Static<typeof Fingerprint>;

const ClickId = Type.Optional(
  Nullable(Type.String({ maxLength: 4_096 }), { description: 'From the deep link' }),
);
const Referrer = Type.Optional(
  Nullable(Type.String({ maxLength: 16_384 }), { description: 'Play’s install referrer' }),
);
const DebugBuild = Type.Optional(
  Nullable(Type.Boolean(), {
    description: 'Debug builds may claim sandbox clicks. Test keys count as debug builds',
  }),
);
const DeterministicOnly = Type.Optional(
  Nullable(Type.Boolean(), {
    description:
      'Without consent to device signals: match by referrer or click ID only, and store neither the hash of the address nor the device, except for its platform, appVersion and sdkVersion',
  }),
);
const ClientId = (record: string) =>
  Type.Optional(
    Nullable(Id, { description: `UUID made by the client: a retry with it records no second ${record}` }),
  );

const Seconds = (description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { description }));

/** As in Play’s install referrer library: seconds since 1970, 0 if unknown. */
export const playTimes = {
  installBeginTimestampSeconds: Seconds('When Play began to install, by the device’s clock'),
  installBeginTimestampServerSeconds: Seconds('The same by Google’s clock, which takes precedence'),
};

/** Body of `POST /v1/sdk/install`. */
export const RecordInstall = Named('RecordInstall', {
  fingerprint: Fingerprint,
  installReferrer: Referrer,
  ...playTimes,
  clickId: ClickId,
  debugBuild: DebugBuild,
  deterministicOnly: DeterministicOnly,
  installId: ClientId('install'),
  existingUser: Type.Optional(
    Nullable(Type.Boolean(), {
      description:
        'True if the person had the app before the version that brought the SDK: recorded and counted apart, never attributed, and without a webhook event',
    }),
  ),
});
export type RecordInstallInput = Static<typeof RecordInstall>;

/** Body of `POST /v1/sdk/open`. */
export const RecordOpen = Named('RecordOpen', {
  fingerprint: Fingerprint,
  clickId: ClickId,
  installId: Type.Optional(Nullable(Id)),
  userId: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  debugBuild: DebugBuild,
  deterministicOnly: DeterministicOnly,
  openId: ClientId('open'),
});
export type RecordOpenInput = Static<typeof RecordOpen>;

/** Items of a batch of installs or opens. */
export const MAX_BATCH = 100;

/** The handler validates each item, so that an invalid one does not fail the others. */
const Batch = (description: string) =>
  Type.Array(Type.Unsafe<unknown>({ description }), { maxItems: MAX_BATCH });
/** Body of `POST /v1/sdk/installs`. */
export const RecordInstalls = Type.Object({ installs: Batch('As the body of POST /v1/sdk/install') });
/** Body of `POST /v1/sdk/opens`. */
export const RecordOpens = Type.Object({ opens: Batch('As the body of POST /v1/sdk/open') });
/** `RecordInstalls` and `RecordOpens` as the document describes them. */
export const InstallBatch = Named('RecordInstalls', {
  installs: Type.Array(RecordInstall, { maxItems: MAX_BATCH }),
});
export const OpenBatch = Named('RecordOpens', { opens: Type.Array(RecordOpen, { maxItems: MAX_BATCH }) });

/** Body of `POST /v1/sdk/resolve`: `url` or `shortCode` is required; `shortCode` takes precedence. */
export const ResolveDeepLink = Named('ResolveDeepLink', {
  url: Type.Optional(Nullable(Type.String({ maxLength: 2_048 }))),
  shortCode: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  installId: Type.Optional(Nullable(Id)),
  fingerprint: Type.Optional(Nullable(Fingerprint, { description: 'Required with openId' })),
  debugBuild: Type.Optional(
    Nullable(Type.Boolean(), {
      description: 'Debug builds also resolve sandbox links. Test keys count as debug builds',
    }),
  ),
  deterministicOnly: DeterministicOnly,
  openId: Type.Optional(
    Nullable(Id, {
      description:
        'UUID made by the client: records one open of the method DIRECT, however often it is sent. Without it, nothing is recorded',
    }),
  ),
});
export type ResolveDeepLinkInput = Static<typeof ResolveDeepLink>;

/** Body of `POST /v1/debug/attribution`. A missing key is a 401, detected before validation. */
export const DebugAttribution = Named('DebugAttribution', {
  apiKey: Type.Optional(
    Type.String({ description: 'A live or test key of the app. Required without a session' }),
  ),
  fingerprint: Fingerprint,
  installReferrer: Referrer,
  ...playTimes,
  clickId: ClickId,
  debugBuild: DebugBuild,
  deterministicOnly: DeterministicOnly,
});
export type DebugAttributionInput = Static<typeof DebugAttribution>;

/** Part of answers; `isDeferred` is false if the link opened the app directly. */
const DeepLinkPayload = Named('DeepLinkPayload', {
  deepLinkPath: Type.String(),
  deepLinkParams: JsonObject(),
  isDeferred: Type.Boolean(),
  shortCode: Type.Optional(
    Type.String({ description: 'Of an open: only of the link that `clickId` names, without credit' }),
  ),
  campaignId: Type.Optional(Nullable(Type.String(), { description: 'With `shortCode`: of the link' })),
});
/** Answer of `POST /v1/sdk/resolve`; the optional fields come with `openId`. */
export const ResolvedDeepLink = Named('ResolvedDeepLink', {
  ...DeepLinkPayload.properties,
  openId: Type.Optional(Id),
});
export type ResolvedAnswer = Static<typeof ResolvedDeepLink>;

const resultFields = {
  attributed: Type.Boolean(),
  method: Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC']),
  installId: Nullable(Id),
  clickId: Nullable(Id),
  campaignId: Nullable(Type.String()),
  confidence: Nullable(Type.String(), { description: 'Decimal from 0 to 1; null unless FINGERPRINT' }),
  deepLinkPayload: Nullable(DeepLinkPayload),
  metadata: JsonObject({ description: 'The link’s' }),
};
/** Answer of `POST /v1/sdk/install`. */
export const AttributionResult = Named('AttributionResult', resultFields);
export const Explanation = JsonObject({
  description:
    'Windows, rejected clicks with their reasons, the weights of each candidate’s signals, and the thresholds. No signal values',
});
/** Answer of `POST /v1/debug/attribution`; has an explanation with `explain=true`. */
export const DebugResult = Named('DebugResult', { ...resultFields, explanation: Type.Optional(Explanation) });
/** Answer of `POST /v1/sdk/open`. */
export const OpenResult = Named('OpenResult', { ...resultFields, openId: Id });

const batchFields = {
  status: Type.Integer({ description: '200, 400, 404, 409, 429, 500 or 503, as for a single call' }),
  error: Type.Optional(Type.String()),
  code: ErrorCode,
};
export const InstallsRecorded = Named('InstallsRecorded', {
  results: Type.Array(
    Named('InstallOutcome', { ...batchFields, ...Type.Partial(AttributionResult).properties }),
    { description: 'One per install, in order: the answer of a single call with its status, or an error' },
  ),
});
/** Answer of `POST /v1/sdk/opens`. */
export const OpensRecorded = Named('OpensRecorded', {
  results: Type.Array(Named('OpenOutcome', { ...batchFields, ...Type.Partial(OpenResult).properties }), {
    description: 'One per open, in order: the answer of a single call with its status, or an error',
  }),
});
export type AttributionAnswer = Static<typeof AttributionResult>;
export type OpenAnswer = Static<typeof OpenResult>;
export type DebugAnswer = Static<typeof DebugResult>;

const Reason = Type.String({
  description: 'Why the click was matched, or why none was. The text may change',
});
const recordFields = {
  sandbox: Type.Boolean(),
  userId: Nullable(Type.String()),
  method: resultFields.method,
  clickId: Nullable(Id),
  campaignId: Nullable(Type.String()),
  confidence: resultFields.confidence,
  reason: Reason,
  explanation: Explanation,
};
const ExistingUser = Type.Boolean({
  description: 'The person had the app before the version that brought the SDK',
});
const OpenMethod = Type.Enum([...resultFields.method.enum, 'DIRECT']);
/** Answer of `GET /v1/installs/{installId}`. */
export const Install = Named('InstallDetails', {
  id: Id,
  platform: Type.Enum(['ANDROID', 'IOS']),
  installedAt: Timestamp,
  existingUser: ExistingUser,
  ...recordFields,
  opens: Type.Array(
    Named('OpenDetails', { id: Id, openedAt: Timestamp, ...recordFields, method: OpenMethod }),
    {
      description: 'The newest 100 opens',
    },
  ),
});

/** Answer of `GET /v1/sdk/installs/{installId}/explanation`. */
export const InstallExplanation = Named('InstallExplanation', {
  installId: Id,
  method: resultFields.method,
  confidence: resultFields.confidence,
  campaignId: Nullable(Type.String()),
  shortCode: Nullable(Type.String(), { description: 'Of the link whose click was matched' }),
  reason: Reason,
  explanation: JsonObject({
    description:
      'As in GET /v1/installs/{installId}; the IDs of clicks that this install did not claim are cut',
  }),
});
export type InstallExplained = Static<typeof InstallExplanation>;

/** Leaves out the device except for its platform. */
export function presentInstall({
  install,
  opens,
}: {
  install: InstallRow;
  opens: readonly OpenRow[];
}): Static<typeof Install> {
  return {
    id: install.id,
    platform: install.platform as 'ANDROID' | 'IOS',
    installedAt: install.installed_at,
    existingUser: install.existing_user === 1,
    ...presentRecord(install, 'install'),
    method: install.attribution_method as AttributionAnswer['method'],
    opens: opens.map((open) => ({
      id: open.id,
      openedAt: open.opened_at,
      ...presentRecord(open, 'open'),
      method: open.attribution_method as Static<typeof OpenMethod>,
    })),
  };
}

function presentRecord(record: InstallRow | OpenRow, kind: Claimant) {
  return {
    sandbox: record.sandbox === 1,
    userId: record.user_id,
    clickId: record.click_id,
    campaignId: record.campaign_id,
    confidence: record.confidence,
    reason: explainTrace(record.trace, kind),
    explanation: presentTrace(record.trace),
  };
}

/** Rounds numbers to four decimal places. */
export function presentTrace(trace: string): Record<string, unknown> {
  return JSON.parse(trace, (_name, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(4)) : value,
  );
}
