export {
  claimColumns,
  claimOf,
  NetworkClaim,
  presentClaim,
} from './claim.ts';
export { isAsked } from './finding.ts';
