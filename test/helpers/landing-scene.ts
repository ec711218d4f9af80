/** Fetches a landing page as a browser does and parses what its script reads. */
import assert from 'node:assert/strict';
import { freshAddress, IPHONE } from './callers.ts';
import type { World } from './world.ts';

export const STORES = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example&hl=en',
  iosDestination: 'https://apps.apple.com/app/id1',
};
export const SIGNALS = {
  screenWidth: 393,
  screenHeight: 852,
  pixelRatio: 3,
  timezone: 'Europe/Berlin',
  languages: ['de-DE', 'de'],
};

export interface LandingPage {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, unknown>;
  readonly from: string;
  /** The body's `data-` attributes. */
  readonly data: Readonly<Record<string, string>>;
  readonly links: readonly string[];
}

/** Taps a link as a browser does. */
export async function openPage(
  world: World,
  shortCode: string,
  {
    userAgent = IPHONE,
    from = freshAddress(),
    headers = {},
  }: { userAgent?: string; from?: string; headers?: Record<string, string> } = {},
): Promise<LandingPage> {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const {
    status,
    text,
    headers: answered,
  } = await world.tap(shortCode, {
    userAgent,
    from,
    headers: { accept, ...headers },
  });
  assert.equal(status, 200, text);
  const [, attributes = ''] = /<body([^>]*)>/.exec(text) ?? [];
  const data = Object.fromEntries(
    [...attributes.matchAll(/ data-(\w+)="([^"]*)"/g)].map(([, name, value = '']) => [
      name,
      unescaped(value),
    ]),
  );
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, address = '']) => unescaped(address));
  return { status, text, headers: answered, from, data, links };
}

export function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
