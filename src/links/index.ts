export { CLICK_ID_PARAMETER, chooseDestination, isPlay, storeOnWeb } from './choose-destination.ts';
export {
  decodeShortCode,
  deepLinkPayload,
  isExpired,
  type LinkRow,
  type ResolvedLink,
} from './link.ts';
export {
  type LinkAddress,
  prefixOf,
  readAddressBelow,
  readLinkAddress,
  SHORT_LINK_PATH,
} from './link-address.ts';
export { createLinkDirectory, type FoundLink, type LinkDirectory } from './link-directory.ts';
export { createLoopFinder, type Loop, type LoopFinder, pathOf, stopOf, type UnknownLink } from './loops.ts';
export { drawSvgCode } from './qr/qr-code.ts';
export { QrDrawer } from './qr/qr-drawer.ts';
export {
  findLinkIdByCode,
  findLinks,
  findShortCodes,
  listKnownCampaigns,
  listLinks,
  readLink,
} from './queries.ts';
