export { ACCEPT_CLIENT_HINTS, readClientHints, supportsClientHints } from './client-hints.ts';
export {
  CLAIMABLE_VISITORS,
  classifyVisitor,
  MAX_USER_AGENT_CHARACTERS,
  type Visitor,
} from './visitor.ts';
