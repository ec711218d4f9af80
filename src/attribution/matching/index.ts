export { type Knowledge, type KnownInstall, learn, newKnowledge } from './knowledge.ts';
export {
  type Candidate,
  MARGIN,
  matchFingerprint,
  type Scene,
  THRESHOLD,
  type WeighedCandidate,
} from './match.ts';
