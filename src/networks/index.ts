export {
  claimColumns,
  claimOf,
  NetworkClaim,
  presentClaim,
} from './claim.ts';
