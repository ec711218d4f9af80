/** Fields that calls and answers of installs, opens and the dry run share. */
import { type Static, Type } from 'typebox';
import type { Claimant } from '../click-log/index.ts';
import type { InstallsTable } from '../db/index.ts';
import { modelFields, presentModel } from '../devices/index.ts';
import { MinAppVersion } from '../links/index.ts';
import { NetworkClaim, networkFields } from '../networks/index.ts';
import { Id, JsonObject, Named, Nullable, Seconds, Timestamp } from '../server/schemas.ts';
import { explainTrace } from './explain-trace.ts';
import { Method, presentTrace, readTrace, TraceOfInstall } from './trace.ts';

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
/** An ID for the record that the client makes. */
export const ClientId = (record: string) =>
  Type.Optional(
    Nullable(Id, { description: `UUID made by the client: a retry with it records no second ${record}` }),
  );

/** As in Play’s install referrer library: seconds since 1970, 0 if unknown. */
export const playTimes = {
  installBeginTimestampSeconds: Seconds('When Play began to install, by the device’s clock'),
  installBeginTimestampServerSeconds: Seconds('The same by Google’s clock, which takes precedence'),
};

/** Of a call that attributes. */
export const callFields = {
  fingerprint: Fingerprint,
  installReferrer: Referrer,
  ...playTimes,
  clickId: ClickId,
  debugBuild: DebugBuild,
  deterministicOnly: DeterministicOnly,
};

/** Body of `POST /v1/debug/attribution`. A missing key is a 401, detected before validation. */
export const DebugAttribution = Named('DebugAttribution', {
  apiKey: Type.Optional(
    Type.String({ description: 'A live or test key of the app. Required without a session' }),
  ),
  ...callFields,
  ...networkFields,
});
export type DebugAttributionInput = Static<typeof DebugAttribution>;

/** Part of answers; `isDeferred` is false if the link opened the app directly. */
export const DeepLinkPayload = Named('DeepLinkPayload', {
  deepLinkPath: Type.String(),
  deepLinkParams: JsonObject(),
  isDeferred: Type.Boolean(),
  shortCode: Type.Optional(
    Type.String({ description: 'Of an open: only of the link that `clickId` names, without credit' }),
  ),
  campaignId: Type.Optional(Nullable(Type.String(), { description: 'With `shortCode`: of the link' })),
  minAppVersion: Type.Optional(MinAppVersion),
});

/** Of an answer that attributes. */
export const resultFields = {
  attributed: Type.Boolean(),
  method: Method,
  installId: Nullable(Id),
  clickId: Nullable(Id),
  campaignId: Nullable(Type.String()),
  confidence: Nullable(Type.String(), { description: 'Decimal from 0 to 1; null unless FINGERPRINT' }),
  deepLinkPayload: Nullable(DeepLinkPayload),
  metadata: JsonObject({ description: 'The link’s' }),
};
/** Answer of `POST /v1/sdk/install`. */
export const AttributionResult = Named('AttributionResult', resultFields);
export type AttributionAnswer = Static<typeof AttributionResult>;
/** Answer of `POST /v1/debug/attribution`; has an explanation with `explain=true`. */
export const DebugResult = Named('DebugResult', {
  ...resultFields,
  network: Type.Optional(Nullable(NetworkClaim, { description: 'With `explain=true`' })),
  explanation: Type.Optional(TraceOfInstall),
});
export type DebugAnswer = Static<typeof DebugResult>;

/** Of an install or open that is read, besides its own ones and its trace. */
export const recordFields = {
  sandbox: Type.Boolean(),
  userId: Nullable(Type.String()),
  method: Method,
  clickId: Nullable(Id),
  campaignId: Nullable(Type.String()),
  confidence: resultFields.confidence,
  ...modelFields,
  erasedAt: Nullable(Timestamp, { description: 'When its personal data was erased; null if it was not' }),
  reason: Type.String({ description: 'Why the click was matched, or why none was. The text may change' }),
};

type Recorded = Pick<
  InstallsTable,
  | 'sandbox'
  | 'user_id'
  | 'attribution_method'
  | 'click_id'
  | 'campaign_id'
  | 'confidence'
  | 'device_model'
  | 'erased_at'
  | 'trace'
>;

/** `recordFields` and the trace. */
export function presentRecord(record: Recorded, kind: Claimant) {
  const trace = readTrace(record.trace);
  return {
    sandbox: record.sandbox === 1,
    userId: record.user_id,
    method: record.attribution_method,
    clickId: record.click_id,
    campaignId: record.campaign_id,
    confidence: record.confidence,
    ...presentModel(record.device_model),
    erasedAt: record.erased_at,
    reason: explainTrace(trace, kind),
    explanation: presentTrace(trace),
  };
}
