/** Names of phones as browsers and SDKs write them: `SAMSUNG SM-S938B`, `samsung-SM-S938B`, `SM-S938B`, `Redmi_Note_8`. */
import { LRUCache } from 'lru-cache';
import { truncate } from '../lib/text.ts';

/** Makers that put their name before some of their models. Names of one group may stand for each other. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  samsung: ['samsung'],
  google: ['google'],
  xiaomi: ['xiaomi'],
  oppo: ['oppo', 'oneplus', 'realme'],
  vivo: ['vivo', 'iqoo'],
  huawei: ['huawei', 'honor'],
  motorola: ['motorola', 'lenovo'],
  transsion: ['tecno mobile', 'tecno', 'infinix mobility', 'infinix', 'itel mobile', 'itel'],
  nokia: ['nokia', 'hmd global', 'hmd'],
  sony: ['sonyericsson', 'sony ericsson', 'sony'],
  lg: ['lge', 'lg electronics', 'lg'],
  htc: ['htc'],
  asus: ['asus'],
  zte: ['zte', 'nubia'],
  tcl: ['tcl', 'alcatel'],
  others: [
    ...[
      'acer',
      'archos',
      'blackview',
      'blu',
      'bq',
      'coolpad',
      'cubot',
      'dexp',
      'digma',
      'doogee',
      'fairphone',
    ],
    ...[
      'gionee',
      'hisense',
      'kyocera',
      'lava',
      'meizu',
      'micromax',
      'nothing',
      'oukitel',
      'panasonic',
      'philips',
    ],
    ...['prestigio', 'sharp', 'symphony', 'teclast', 'ulefone', 'umidigi', 'unihertz', 'walton', 'wiko'],
  ],
};

/** Series that one maker alone uses. */
const SERIES: readonly (readonly [maker: string, pattern: RegExp])[] = [
  ['samsung', /^galaxy /],
  ['google', /^(?:pixel|nexus)(?: |$)/],
  ['xiaomi', /^(?:redmi|poco|mi ?\d|mi (?:mix|max|note|pad) )/],
  ['oppo', /^(?:reno ?\d|find x)/],
  ['huawei', /^(?:mate ?\d|mediapad |nova \d)/],
  ['motorola', /^moto(?:[ (]|[a-z]{1,2}\d)/],
  ['sony', /^xperia /],
  ['asus', /^zenfone /],
  ['amazon', /^kindle fire/],
  ['umidigi', /^bison(?:$|[ _])/],
];

/** Codes that one maker alone uses. */
const CODES: readonly (readonly [maker: string, pattern: RegExp])[] = [
  ['samsung', /^(?:sm-?[a-z]\d{3}|gt-?[a-z]\d{4}|s[cghp][hv]-[a-z]?\d{3}|sc-\d\d[a-z]$|sc[vg]\d\d$)/],
  ['xiaomi', /^(?:m\d{4}[a-z]\d|2\d{3,7}[a-z]{2}[a-z\d]{0,5}$)/],
  [
    'oppo',
    /^(?:cph\d{4}|rm[xp]\d{4}|opd\d{4}|p[a-z]{2}[a-z1]\d\d$|(?:ac|be|dn|gm|hd|in|kb|le|ne)(?:19|2\d)\d\d$)/,
  ],
  ['vivo', /^v\d{4}[a-z]{0,2}$/],
  ['huawei', /^[a-z]{3}\d?-(?:lx|nx|tl|al|bd|[alntw])\w{1,4}$/],
  ['motorola', /^(?:xt\d{4}|tb-?x?\d{3})/],
  ['nokia', /^ta-\d{4}$/],
  ['sony', /^(?:xq-[a-z]{2}\d\d|[c-h]\d{4}$|so-\d\d[a-z]$|so[vg]\d\d$|a?\d{3}so$)/],
  ['sharp', /^(?:sh-\d\d[a-z]$|sh[vg]\d\d$|a?\d{3}sh$)/],
  ['kyocera', /^ky[vgl]\d\d$/],
  ['lg', /^(?:lm-[a-z]|lg-?[a-z]{1,2}\d{3})/],
  ['amazon', /^kf[a-z]{3,6}$/],
  ['fairphone', /^fp\d$/],
  ['nothing', /^(?:a0(?:01|15|24|59|6[35])|a142p?)$/],
  ['transsion', /^x6(?:\d{3}[a-z]?|\d\d[a-z])$/],
];

/** Codes that would be too short to tell without the name of their maker. */
const CODES_AFTER_MAKER: Readonly<Record<string, RegExp>> = {
  transsion: /^(?:[a-z]{2}\d{1,2}[a-z]{0,2}|[a-z]\d{3,4}[a-z]{0,3})$/,
  asus: /^(?:i\d{3}[a-z]{0,2}|ai\d{4}\w?|[xz]0\d\w{1,3})$/,
};

/** Longest first, so that `tecno mobile` is removed whole. */
const PREFIXES = Object.entries(MAKERS)
  .flatMap(([group, names]) => names.map((name) => ({ name, maker: group === 'others' ? name : group })))
  .sort((a, b) => b.name.length - a.name.length);
const PREFIX = new RegExp(`^(${PREFIXES.map(({ name }) => name).join('|')})(?:[ _-]+|(?=gt-|sm-))(?=\\S)`);

const MAX_CHARACTERS = 128;

interface ModelName {
  /** In lower case, without its maker. */
  readonly model: string | null;
  /** The group of makers; null if it is unknown. */
  readonly maker: string | null;
}

const UNKNOWN: ModelName = { model: null, maker: null };

/** Hundreds of clicks behind one address repeat the same names. */
const cache = new LRUCache<string, ModelName>({ max: 5_000, memoMethod: parse });

/** Null for an empty name, and for `K`, which Chrome writes on every phone. */
export function readModelName(text: string | null | undefined): ModelName {
  return text ? cache.memo(truncate(text, MAX_CHARACTERS)) : UNKNOWN;
}

function parse(text: string): ModelName {
  let model = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  let named: string | null = null;
  for (let prefix = PREFIX.exec(model); prefix !== null; prefix = PREFIX.exec(model)) {
    named ??= PREFIXES.find(({ name }) => name === prefix?.[1])?.maker ?? null;
    model = model.slice(prefix[0].length);
  }
  model = model.replace(/\/\S*$/, '');
  if (model === '' || model === 'k') return UNKNOWN;
  // `HUAWEI Nexus 6P`: the series is the stronger sign.
  return { model, maker: makerIn(SERIES, model) ?? makerIn(CODES, model) ?? named };
}

/** Whether a name as `readModelName` returns it is what people call the phone, such as `pixel 9`. */
export function isSeries(model: string): boolean {
  return makerIn(SERIES, model) !== undefined;
}

function makerIn(patterns: typeof SERIES, model: string): string | undefined {
  return patterns.find(([, pattern]) => pattern.test(model))?.[0];
}

/** Whether a name as `readModelName` returns it has the form of its maker's codes; a phone has one code. */
export function isMakersCode({ model, maker }: { model: string; maker: string | null }): boolean {
  return (
    makerIn(CODES, model) !== undefined || (maker !== null && CODES_AFTER_MAKER[maker]?.test(model) === true)
  );
}
