import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { chooseDestination, drawSvgCode, type ResolvedLink } from '../../links/index.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { linkTitle, storeList } from '../pages/link-parts.ts';
import { escapeHtml, type Page, shownHtml } from '../pages/page.ts';
import type { Visitor } from '../visitor.ts';
import { appAddress } from './app-address.ts';
import { clipboardText } from './clipboard-token.ts';
import { leadsToStore } from './needs-page.ts';
import { proofOf } from './proof.ts';
import { type Texts, textsFor } from './texts.ts';

/** For whom the page is drawn. */
interface Visit {
  readonly visitor: Visitor;
  readonly acceptLanguage: string | undefined;
  /** Null where the click could not be written. */
  readonly clickId: string | null;
  /** Where the way leads; null where there is nowhere to go. */
  readonly destination: string | null;
}

type Ways = Required<Pick<Page, 'body' | 'data'>>;

/** Without its comments, which are not for the visitor. */
const SCRIPT = readFileSync(join(import.meta.dirname, 'in-browser.js'), 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => !line.startsWith('//'))
  .join('\n');

/** The page between a tap and the store. It says whose link it is and leads on; its script does so sooner. */
export function landingPage(ctx: Ctx, link: ResolvedLink, visit: Visit): Page {
  const texts = textsFor(visit.acceptLanguage);
  const about = link.ogDescription === null ? '' : `<p><bdi>${shownHtml(link.ogDescription)}</bdi></p>`;
  const { destination } = visit;
  const ways =
    destination === null
      ? waysElsewhere(link, visit, texts)
      : waysOn(ctx, link, { ...visit, destination }, texts);
  return {
    language: texts.language,
    direction: texts.direction,
    title: linkTitle(link),
    body: about + ways.body,
    data: { ...ways.data, ...clickData(ctx, link, visit) },
    script: SCRIPT,
  };
}

function clickData({ secrets }: Ctx, { shortCode }: ResolvedLink, { clickId }: Visit): Ways['data'] {
  return clickId === null ? {} : { click: clickId, proof: proofOf(secrets, { shortCode, clickId }) };
}

function waysOn(ctx: Ctx, link: ResolvedLink, visit: Visit & { destination: string }, texts: Texts): Ways {
  const { clickId, destination } = visit;
  const { platform, inApp } = visit.visitor;
  const toStore = leadsToStore(link, visit.visitor);
  const app = toStore ? appAddress(link, { platform, clickId, destination }) : null;
  const copy =
    toStore && platform === 'IOS' && link.app.clipboardToken && clickId !== null
      ? clipboardText(ctx, link, clickId)
      : null;
  const body = [
    toStore ? going(texts) : '',
    `<a class="main" id="go" href="${escapeHtml(destination)}">${toStore ? texts.getApp : texts.goOn}</a>`,
    app === null ? '' : `<a href="${escapeHtml(app)}">${texts.openApp}</a>`,
    copy === null ? '' : `<p class="quiet">${texts.copies}</p>`,
  ];
  // A web view on Android that knows no `intent:` shows an error in the place of the page: there it takes a tap.
  const isTried = platform === 'IOS' || inApp === null;
  return { body: body.join(''), data: { go: destination, app: isTried ? app : null, copy } };
}

/** Codes that were drawn: drawing one takes longer than all else about a page. */
const codes = new LRUCache<string, string>({ max: 1_000 });
const CODE_STYLE = {
  modulePixels: 6,
  margin: 3,
  color: '#000000',
  background: '#ffffff',
  errorCorrection: 'L',
} as const;

function qrCodeOf({ shortUrl }: ResolvedLink): string {
  let code = codes.get(shortUrl);
  if (code === undefined) {
    code = drawSvgCode(shortUrl, CODE_STYLE);
    codes.set(shortUrl, code);
  }
  return `<p role="img" aria-label="QR">${code}</p>`;
}

/** Shown by the script as it goes on. */
function going({ goingOn }: Texts): string {
  return `<p class="quiet" id="going" hidden>${goingOn}</p>`;
}

/** For a device that the link has no destination for: a code for the camera of a phone that it has one for. */
function waysElsewhere(link: ResolvedLink, { visitor, clickId }: Visit, texts: Texts): Ways {
  const stores = storeList(link, clickId);
  if (visitor.platform !== null || stores === '')
    return { body: `<p>${texts.leadsIntoApp}</p>${stores}`, data: {} };
  return {
    body: `<p>${texts.onPhone}</p>${qrCodeOf(link)}${stores}`,
    data: { tablet: chooseDestination(link, 'IOS', clickId) },
  };
}
