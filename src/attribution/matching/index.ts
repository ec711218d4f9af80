export type { Veto } from './compare.ts';
export {
  type Candidate,
  MARGIN,
  matchFingerprint,
  type Scene,
  THRESHOLD,
  type WeighedCandidate,
} from './match.ts';
