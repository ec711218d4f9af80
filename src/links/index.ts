export {
  CLICK_ID_PARAMETER,
  chooseDestination,
  destinationOfExpired,
  isPlay,
  storeOnWeb,
} from './choose-destination.ts';
export {
  forgetInvitersOfLinks,
  listLinksOfInviters,
  scrubInvitation,
  withoutInviter,
} from './forget-inviters.ts';
export {
  deepLinkPayload,
  FORGOTTEN_INVITER,
  inviterOf,
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
  readNamedLink,
  SHORT_LINK_PATH,
} from './link-address.ts';
export { createLinkDirectory, type FoundLink, type LinkDirectory } from './link-directory.ts';
export { linkOfClick } from './link-of-click.ts';
export { findLinksByTitle, listLinks, placeIn } from './list-links.ts';
export { findTags } from './list-tags.ts';
export { createLoopFinder, type Loop, type LoopFinder, pathOf, stopOf, type UnknownLink } from './loops.ts';
export { matcherOf, parseQuery } from './passed-parameters.ts';
export { drawSvgCode } from './qr/qr-code.ts';
export { QrDrawer } from './qr/qr-drawer.ts';
export {
  countLinksOfInviter,
  findLinkIdByName,
  findLinks,
  findRuleNames,
  findShortCodes,
  listInviters,
  listKnownCampaigns,
  listLinksByCode,
  readLink,
} from './queries.ts';
export { type RoutedLink, routeLink, storedQuery, type Visit } from './route-link.ts';
export { MinAppVersion } from './rule-schemas.ts';
export type { KnownVersion, LinkRule, RulePlatform } from './rules.ts';
export { rulesThatNeverWin } from './rules-that-never-win.ts';
export { CreateLink } from './schemas.ts';
export { type NewAppLink, storeAppLink } from './store-app-link.ts';
export { CODE_ALPHABET, CodeOutOfReach } from './store-links.ts';
export { tagKey } from './tags.ts';
export { type BrowserRequest, visitOfApp, visitOfBrowser } from './visit.ts';
