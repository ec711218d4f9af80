export {
  attribute,
  namedPayload,
  type OutcomeColumns,
  outcomeColumns,
  toAnswer,
} from './answer.ts';
export { type AttributionRequest, deviceColumns, type SdkCall } from './attribution-request.ts';
export { addBatchRoute } from './batch-routes.ts';
export { createDailyInstallLimit } from './daily-limit.ts';
export { type Decision, decideExistingUser } from './decide.ts';
export { windowHoursOf } from './evidence.ts';
export { explainTrace } from './explain-trace.ts';
export {
  firstAnswer,
  type NewRecord,
  type Received,
  type RecordingDeps,
  receive,
  type Sender,
  storeRecord,
  untilRecorded,
} from './record-once.ts';
export {
  type AttributionAnswer,
  AttributionResult,
  ClientId,
  callFields,
  DeepLinkPayload,
  FINGERPRINT_EXAMPLE,
  Fingerprint,
  type FingerprintInput,
  presentRecord,
  recordFields,
  resultFields,
} from './schemas.ts';
export { createMeasure, type Measure } from './shadow/measure.ts';
export { Method, presentTrace, readTrace, type Trace, TraceOfInstall, TraceOfOpen } from './trace.ts';
