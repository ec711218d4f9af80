export {
  ACCEPT_CLIENT_HINTS,
  CLAIMABLE_VISITORS,
  classifyVisitor,
  MAX_USER_AGENT_CHARACTERS,
  readClientHints,
  supportsClientHints,
  type Visitor,
} from './visitor.ts';
