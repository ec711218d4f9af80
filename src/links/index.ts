export { CLICK_ID_PARAMETER, chooseDestination, isPlay, storeOnWeb } from './choose-destination.ts';
export { IMPORT_SOURCES } from './import/imported-row.ts';
export { Imports } from './import/imports.ts';
export { dropOldImports, IMPORTS_KEPT_DAYS } from './import/queries.ts';
export {
  decodeShortCode,
  deepLinkPayload,
  isExpired,
  type LinkRow,
  type ResolvedLink,
  SHORT_LINK_PATH,
} from './link.ts';
export { createLinkDirectory, type LinkDirectory } from './link-directory.ts';
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
