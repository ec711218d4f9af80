export { type Knowledge, type KnownInstall, learn, newKnowledge } from './knowledge.ts';
export { type Candidate, matchFingerprint, type Scene, type WeighedCandidate } from './match.ts';
