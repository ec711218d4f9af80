export { CLICK_ID_PARAMETER, chooseDestination, isPlay, storeOnWeb } from './choose-destination.ts';
export {
  decodeShortCode,
  deepLinkPayload,
  isExpired,
  type LinkRow,
  type ResolvedLink,
  SHORT_LINK_PATH,
} from './link.ts';
export { createLinkDirectory, type LinkDirectory } from './link-directory.ts';
export { findLinksByTitle, listLinks, placeIn } from './list-links.ts';
export { findTags } from './list-tags.ts';
export { createLoopFinder, type Loop, type LoopFinder, pathOf, stopOf, type UnknownLink } from './loops.ts';
export { drawSvgCode } from './qr/qr-code.ts';
export { QrDrawer } from './qr/qr-drawer.ts';
export {
  findLinkIdByCode,
  findLinks,
  findShortCodes,
  listKnownCampaigns,
  readLink,
} from './queries.ts';
export { tagKey } from './tags.ts';
