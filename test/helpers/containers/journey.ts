/** From a link to an attributed install, by HTTP as anybody calls the service. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

export interface Keys {
  readonly live: string;
  readonly publishable: string;
}

/** The keys in the text of `throughline setup`. */
export function keysIn(text: string): Keys {
  const live = /^ +live +(svc_live_\S+)$/m.exec(text)?.[1];
  const publishable = /^ +live publishable +(svc_live_pub_\S+)$/m.exec(text)?.[1];
  if (live === undefined || publishable === undefined) throw new Error(`no keys in: ${text}`);
  return { live, publishable };
}

/**
 * Makes a link, taps it with an iPhone, and installs the app there.
 * @param pauseMs between tap and install: the click may be in the journal of another process meanwhile.
 */
export async function tapAndInstall(
  call: (path: string, init?: RequestInit) => Promise<Response>,
  {
    keys,
    shortCode,
    pauseMs = 0,
  }: { readonly keys: Keys; readonly shortCode: string; readonly pauseMs?: number },
): Promise<void> {
  const post = (path: string, key: string, body: object) =>
    call(path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const link = await post('/v1/links', keys.live, {
    shortCode,
    deepLinkPath: '/welcome',
    campaignId: shortCode,
    iosDestination: 'https://apps.apple.com/app/id1',
  });
  assert.equal(link.status, 201, await link.text());
  const tap = await call(`/l/${shortCode}`, {
    redirect: 'manual',
    headers: { 'user-agent': IPHONE, 'accept-language': 'en-US,en;q=0.9' },
  });
  assert.ok(tap.status < 400, `the tap was answered with ${tap.status}`);
  await tap.arrayBuffer();
  await sleep(pauseMs);
  const install = await post('/v1/sdk/install', keys.publishable, {
    fingerprint: { platform: 'IOS', osVersion: '17.5.1', deviceModel: 'iPhone15,2', locale: 'en_US' },
  });
  const { attributed, campaignId } = (await install.json()) as { attributed: boolean; campaignId: string };
  assert.deepEqual({ attributed, campaignId }, { attributed: true, campaignId: shortCode });
}
