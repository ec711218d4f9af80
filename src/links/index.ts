export { CLICK_ID_PARAMETER, chooseDestination, isPlay, storeOnWeb } from './choose-destination.ts';
export { CODE_ALPHABET, CodeOutOfReach } from './create-link.ts';
export {
  forgetInvitersOfLinks,
  listLinksOfInviters,
  scrubInvitation,
  withoutInviter,
} from './forget-inviters.ts';
export {
  decodeShortCode,
  deepLinkPayload,
  FORGOTTEN_INVITER,
  inviterOf,
  isExpired,
  type LinkRow,
  type ResolvedLink,
  SHORT_LINK_PATH,
  shortLinkBaseOf,
  shortUrlOf,
} from './link.ts';
export { createLinkDirectory, type LinkDirectory } from './link-directory.ts';
export { createLoopFinder, type Loop, type LoopFinder, pathOf, stopOf, type UnknownLink } from './loops.ts';
export { drawSvgCode } from './qr/qr-code.ts';
export { QrDrawer } from './qr/qr-drawer.ts';
export {
  countLinksOfInviter,
  findLinkIdByCode,
  findLinks,
  findShortCodes,
  listInviters,
  listKnownCampaigns,
  listLinks,
  listLinksByCode,
  readLink,
} from './queries.ts';
export { CreateLink } from './schemas.ts';
export { type NewAppLink, storeAppLink } from './store-app-link.ts';
