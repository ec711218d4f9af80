import type { FirstKeys } from '../../apps/index.ts';

/** The text of the first start: the keys, and the requests from a link to an attributed install. */
export function welcome({
  publicUrl,
  shortLinkUrl,
  keys,
  adminToken,
  setupAddress,
}: {
  publicUrl: string;
  shortLinkUrl: string;
  keys: FirstKeys;
  adminToken: string;
  setupAddress: string;
}): string {
  return `
Welcome to Throughline, at ${publicUrl}

Your first app has one key of each kind. They are shown only now; keep them.

  live                ${keys.live}
  test                ${keys.test}
  live publishable    ${keys.live_publishable}
  test publishable    ${keys.test_publishable}
  admin token         ${adminToken}

Live and test keys stay on your servers. A publishable key goes into the app.

Make your account of the console, at this address, once and within 7 days:

  ${setupAddress}

From a link to an attributed install:

1. Create a link.

curl -s ${publicUrl}/v1/links -H 'X-Api-Key: ${keys.live}' -H 'Content-Type: application/json' -d '{"shortCode":"hello","deepLinkPath":"/welcome","campaignId":"first","iosDestination":"https://apps.apple.com/app/id1","androidDestination":"https://play.google.com/store/apps/details?id=com.example"}'

2. Tap it with the headers of an iPhone.

curl -si ${shortLinkUrl}/l/hello -A 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1' -H 'Accept-Language: en-US,en;q=0.9'

3. Install the app on that phone. The response names the link.

curl -s ${publicUrl}/v1/sdk/install -H 'X-Api-Key: ${keys.live_publishable}' -H 'Content-Type: application/json' -d '{"fingerprint":{"platform":"IOS","osVersion":"17.5.1","deviceModel":"iPhone15,2","locale":"en_US"}}'
`;
}
