export { type Candidate, type FingerprintMatch, matchFingerprint, type WeighedCandidate } from './match.ts';
export { type DeviceReport, type Signals, signalsOfClick, signalsOfDevice } from './signals.ts';
