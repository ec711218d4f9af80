/**
 * The example of Meta's page, developers.facebook.com/docs/app-ads/install-referrer, without the stray letter that the page
 * has behind the key; and blocks made in the same way.
 */
import { createCipheriv, randomBytes } from 'node:crypto';

export const META_KEY = '2575590594a9cd809e5bfacf397f8c1ac730dbc38a3e137ecd1ab66591c8c3c9';
export const META_BLOCK = {
  data: 'afe56cf6228c6ea8c79da49186e718e92a579824596ae1d0d4d20d7793dca797bd4034ccf467bfae5c79a3981e7a2968c41949237e2b2db678c1c3d39c9ae564c5cafd52f2b77a3dc77bf1bae063114d0283b97417487207735da31ddc1531d5645a9c3e602c195a0ebf69c272aa5fda3a2d781cb47e117310164715a54c7a5a032740584e2789a7b4e596034c16425139a77e507c492b629c848573c714a03a2e7d25b9459b95842332b460f3682d19c35dbc7d53e3a51e0497ff6a6cbb367e760debc4194ae097498108df7b95eac2fa9bac4320077b510be3b7b823248bfe02ae501d9fe4ba179c7de6733c92bf89d523df9e31238ef497b9db719484cbab7531dbf6c5ea5a8087f95d59f5e4f89050e0f1dc03e464168ad76a64cca64b79',
  nonce: 'b7203c6a6fb633d16e9cf5c1',
};
export const META_AD = {
  ad_id: '12345',
  ad_objective_name: 'APP_INSTALLS',
  adgroup_id: '54321',
  adgroup_name: 'Adams Test Ad Group',
  campaign_id: '987654',
  campaign_name: 'Adams Test Campaign',
  campaign_group_id: '654321',
  campaign_group_name: 'Adams Test Campaign Group',
  account_id: '444444',
};
/** What the service makes of it. */
export const META_CLAIM = {
  name: 'meta',
  campaignId: '654321',
  campaignName: 'Adams Test Campaign Group',
  adGroupId: '987654',
  adGroupName: 'Adams Test Campaign',
  adId: '12345',
  adName: 'Adams Test Ad Group',
  keywordId: null,
  claimType: 'Click',
  conversionType: null,
  clickedAt: null,
  test: false,
};

/** As Meta encrypts an ad. */
export function metaBlockOf(ad: unknown, key = META_KEY): typeof META_BLOCK {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce);
  const text = typeof ad === 'string' ? ad : JSON.stringify(ad);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { data: data.toString('hex'), nonce: nonce.toString('hex') };
}

/** As Play gives it to the app. */
export function metaReferrerOf(source: unknown, host = 'apps.facebook.com'): string {
  const content = JSON.stringify({ app: 614892783859055, t: 1685638522, source });
  return `utm_source=${host}&utm_campaign=fb4a&utm_content=${encodeURIComponent(content)}`;
}
