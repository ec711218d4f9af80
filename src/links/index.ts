export {
  CLICK_ID_PARAMETER,
  chooseDestination,
  destinationOfExpired,
  isPlay,
  storeOnWeb,
} from './choose-destination.ts';
export {
  deepLinkPayload,
  isExpired,
  type LinkRow,
  payloadOfRow,
  type ResolvedLink,
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
export { createLoopFinder, type Loop, type LoopFinder, pathOf, stopOf, type UnknownLink } from './loops.ts';
export { matcherOf, parseQuery } from './passed-parameters.ts';
export { drawSvgCode } from './qr/qr-code.ts';
export { QrDrawer } from './qr/qr-drawer.ts';
export {
  findLinkIdByName,
  findLinks,
  findShortCodes,
  listKnownCampaigns,
  listLinks,
  readLink,
} from './queries.ts';
export { type RoutedLink, routeLink, storedQuery, type Visit } from './route-link.ts';
export { MinAppVersion } from './rule-schemas.ts';
export type { LinkRule } from './rules.ts';
export { rulesThatNeverWin } from './rules-that-never-win.ts';
export { findRuleNames } from './tags-and-rules.ts';
export { type BrowserRequest, visitOfApp, visitOfBrowser } from './visit.ts';
