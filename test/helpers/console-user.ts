import type { Browser, Device, Page, Setting } from './browser.ts';
import { USER } from './console-scene.ts';

/**
 * Makes an operator by a one-time address of the set-up.
 * @param setupAddress its token counts; the host is that of `url`.
 * @returns the cookie of the session, as `name=value`.
 */
export async function makeOperator(url: string, setupAddress: string): Promise<string> {
  const token = new URL(setupAddress).hash.slice(1);
  const answer = await fetch(`${url}/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...USER }),
  });
  if (answer.status !== 201) throw new Error(`the set-up was refused: ${await answer.text()}`);
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** An empty page on the origin of the service, signed in. */
export async function openSignedIn(
  browser: Browser,
  {
    url,
    cookie,
    device,
    setting = {},
  }: { url: string; cookie: string; device: Device; setting?: Partial<Setting> },
): Promise<Page> {
  const page = await browser.open(device, setting);
  await page.goto(`${url}/console/icon.svg`);
  await page.evaluate(`document.cookie = '${cookie}; path=/'`);
  return page;
}
