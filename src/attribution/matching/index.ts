export { type Knowledge, type KnownInstall, type Learning, learn, newKnowledge } from './knowledge.ts';
export {
  type Candidate,
  MARGIN,
  matchFingerprint,
  type Scene,
  THRESHOLD,
  type WeighedCandidate,
} from './match.ts';
