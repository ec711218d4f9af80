/**
 * Meta's block in a referrer of Play, or of the content provider of Meta's apps: JSON of campaign and ad, encrypted by
 * AES-256-GCM with a key of the app (developers.facebook.com/docs/app-ads/install-referrer).
 */
import { createDecipheriv } from 'node:crypto';
import { claimOf, idText, type NetworkClaim, nameText } from './claim.ts';
import { parseWithIds } from './parse-ids.ts';

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
const NONCE_BYTES = 12;

/** Hexadecimal. */
export interface MetaBlock {
  readonly data: string;
  readonly nonce: string;
}

/** Values as JSON has them, or as JSON within a JSON text; in a form, `+` stands for a space. */
const fieldOf = (name: string) =>
  new RegExp(String.raw`"${name}\\{0,3}"[\s+]{0,4}:[\s+]{0,4}\\{0,3}"([^"\\]{0,16384})\\{0,3}"`);
const DATA = fieldOf('data');
const NONCE = fieldOf('nonce');
const SOURCE = /"source\\{0,3}"/;
const OF_META = /(?<!\w)utm_source"?[=:]\s{0,4}"?apps\.(?:facebook|instagram)\.com/;
/** Some install paths encode the referrer once or twice more, whole or in part. */
const MAX_DECODINGS = 3;

/**
 * @returns null for a referrer of others; `no_block` for one of Meta without a block, which Meta leaves empty for some ads;
 * `damaged` for a block that was cut or changed.
 */
export function metaBlockIn(referrer: string): MetaBlock | 'no_block' | 'damaged' | null {
  let text = referrer;
  for (let decoded = 0; ; decoded++) {
    const data = DATA.exec(text)?.[1];
    const nonce = NONCE.exec(text)?.[1];
    if (data !== undefined && nonce !== undefined && SOURCE.test(text))
      return isBlock({ data, nonce }) ? { data, nonce } : 'damaged';
    if (decoded === MAX_DECODINGS || !text.includes('%')) break;
    text = decodeAscii(text);
  }
  if (SOURCE.test(text) && /"data\\{0,3}"/.test(text)) return 'damaged';
  return OF_META.test(text) ? 'no_block' : null;
}

/** Decodes what a block and names of parameters consist of, even where other parts of the text are malformed. */
export function decodeAscii(text: string): string {
  return text.replaceAll(/%([0-7][0-9A-Fa-f])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function isBlock({ data, nonce }: MetaBlock): boolean {
  const isHex = (text: string) => text.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(text);
  return isHex(data) && isHex(nonce) && nonce.length === 2 * NONCE_BYTES && data.length > 2 * TAG_BYTES;
}

/** What counts for one install: no other text can be decrypted with its nonce, whose letters may be of either case. */
export function metaEvidence({ nonce }: MetaBlock): string {
  return `meta ${nonce.toLowerCase()}`;
}

/** @param key 64 hexadecimal characters. @returns null for another key, or a damaged block. */
export function decryptMetaBlock({ data, nonce }: MetaBlock, key: string): MetaAd | null {
  const bytes = Buffer.from(data, 'hex');
  try {
    const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'hex'), Buffer.from(nonce, 'hex'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    const ad: unknown = parseWithIds(text.toString('utf8'));
    return typeof ad === 'object' && ad !== null ? (ad as MetaAd) : null;
  } catch {
    return null;
  }
}

type MetaAd = Readonly<Record<string, unknown>>;

/**
 * The block has the names of Meta's earlier API: a campaign is its `campaign_group`, an ad set its `campaign`, and an ad its
 * `adgroup`. Its other fields are not kept.
 */
export function metaClaim(ad: MetaAd, said: Pick<NetworkClaim, 'claimType' | 'clickedAt'>): NetworkClaim {
  return claimOf('meta', {
    campaignId: idText(ad.campaign_group_id),
    campaignName: nameText(ad.campaign_group_name),
    adGroupId: idText(ad.campaign_id),
    adGroupName: nameText(ad.campaign_name),
    adId: idText(ad.ad_id) ?? idText(ad.adgroup_id),
    adName: nameText(ad.adgroup_name),
    ...said,
  });
}
