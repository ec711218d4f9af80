export { type AppleAds, createAppleAds, listWaitingTokens, tokenMessage } from './apple/index.ts';
export { claimColumns, claimOf, NetworkClaim, presentClaim } from './claim.ts';
export {
  type Finding,
  findingsOf,
  findingsText,
  isAsked,
  NetworkFinding,
  presentFindings,
} from './finding.ts';
export { networkEvent } from './network-event.ts';
export {
  type NetworksRead,
  networkColumns,
  ofExistingUser,
} from './read-networks.ts';
export { networkFields } from './schemas.ts';
export { insertUse, type NetworksOfInstall, readUnused } from './use-once.ts';
export { dropWrongExtras, withoutWrongExtras } from './wrong-extras.ts';
