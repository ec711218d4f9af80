export {
  claimColumns,
  claimOf,
  NETWORKS,
  NetworkClaim,
  presentClaim,
} from './claim.ts';
