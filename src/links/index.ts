export {
  CLICK_ID_PARAMETER,
  chooseDestination,
  destinationOfExpired,
} from './choose-destination.ts';
export {
  forgetInvitersOfLinks,
  listLinksOfInviters,
  scrubInvitation,
  withoutInviter,
} from './forget-inviters.ts';
export { IMPORT_SOURCES } from './import/imported-row.ts';
export { Imports } from './import/imports.ts';
export { dropOldImports, IMPORTS_KEPT_DAYS } from './import/queries.ts';
export { FORGOTTEN_INVITER, inviterByOpen, inviterOf, metadataFor } from './inviter.ts';
export { findRuleNames } from './kept-rules.ts';
export {
  deepLinkPayload,
  isExpired,
  type LinkRow,
  payloadOfRow,
  type ResolvedLink,
  shortLinkBaseOf,
  shortUrlOf,
} from './link.ts';
export {
  type LinkAddress,
  prefixOf,
  readAddressBelow,
  readLinkAddress,
  SHORT_LINK_PATH,
} from './link-address.ts';
export { createLinkDirectory, type FoundLink, type LinkDirectory } from './link-directory.ts';
export { linkOfClick } from './link-of-click.ts';
export { findLinksByTitle, isAtPath, listLinks, placeIn } from './list-links.ts';
export { findTags } from './list-tags.ts';
export { createLongLinks, type FoundLongLink, type LongLinks } from './long-links.ts';
export { createLoopFinder, type Loop, type LoopFinder, pathsOf, stopOf, type UnknownLink } from './loops.ts';
export { isReserved, matcherOf, parseQuery } from './passed-parameters.ts';
export { drawSvgCode } from './qr/qr-code.ts';
export { QrDrawer } from './qr/qr-drawer.ts';
export {
  countLinksOfInviter,
  findLinkIdByName,
  findLinks,
  findShortCodes,
  listInviters,
  listKnownCampaigns,
  listLinksByCode,
  readLink,
} from './queries.ts';
export { type RoutedLink, routeLink, storedQuery, type Visit } from './route-link.ts';
export { MinAppVersion } from './rule-schemas.ts';
export type { LinkRule } from './rules.ts';
export { rulesThatNeverWin } from './rules-that-never-win.ts';
export { CreateLink } from './schemas.ts';
export { isAppStore, isPlay, isTestFlight, storeOnWeb } from './store-address.ts';
export { type NewAppLink, storeAppLink } from './store-app-link.ts';
export { CODE_ALPHABET, CodeOutOfReach } from './store-links.ts';
export { tagKey } from './tags.ts';
export { type BrowserRequest, visitOfApp, visitOfBrowser } from './visit.ts';
