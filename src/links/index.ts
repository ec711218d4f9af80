export {
  CLICK_ID_PARAMETER,
  chooseDestination,
  destinationOfExpired,
} from './choice/choose-destination.ts';
export { findRuleNames } from './choice/kept-rules.ts';
export { linkOfClick } from './choice/link-of-click.ts';
export { isReserved, matcherOf, parseQuery } from './choice/passed-parameters.ts';
export { type RoutedLink, routeLink, storedQuery, type Visit } from './choice/route-link.ts';
export { MinAppVersion } from './choice/rule-schemas.ts';
export type { LinkRule } from './choice/rules.ts';
export { rulesThatNeverWin } from './choice/rules-that-never-win.ts';
export { isAppStore, isPlay, isTestFlight, storeOnWeb } from './choice/store-address.ts';
export { type BrowserRequest, visitOfApp, visitOfBrowser } from './choice/visit.ts';
export {
  createLoopFinder,
  type Loop,
  type LoopFinder,
  pathsOf,
  stopOf,
  type UnknownLink,
} from './circles/loops.ts';
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
export {
  deepLinkPayload,
  isExpired,
  type LinkRow,
  payloadOfRow,
  type ResolvedLink,
  shortLinkBaseOf,
  shortUrlOf,
} from './link.ts';
export { findLinksByTitle, isAtPath, listLinks, placeIn } from './lists/list-links.ts';
export { findTags } from './lists/list-tags.ts';
export { tagKey } from './lists/tags.ts';
export {
  type LinkAddress,
  prefixOf,
  readAddressBelow,
  readLinkAddress,
  SHORT_LINK_PATH,
} from './look-up/link-address.ts';
export { createLinkDirectory, type FoundLink, type LinkDirectory } from './look-up/link-directory.ts';
export { createLongLinks, type FoundLongLink, type LongLinks } from './look-up/long-links.ts';
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
export { CreateLink } from './schemas.ts';
export { type NewAppLink, storeAppLink } from './store-app-link.ts';
export { CODE_ALPHABET, CodeOutOfReach } from './store-links.ts';
