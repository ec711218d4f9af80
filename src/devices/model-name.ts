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

/** Series and codes that one maker alone uses. */
const SERIES: readonly (readonly [maker: string, pattern: RegExp])[] = [
  ['samsung', /^(?:sm-?[a-z]\d{3}|gt-?[a-z]\d{4}|s[cghp][hv]-[a-z]?\d{3}|galaxy )/],
  ['google', /^(?:pixel|nexus)(?: |$)/],
  ['xiaomi', /^(?:redmi|poco|mi ?\d|mi (?:mix|max|note|pad) |m\d{4}[a-z]\d|2\d{3,7}[a-z]{2}[a-z\d]{0,5}$)/],
  [
    'oppo',
    /^(?:cph\d{4}|rmx\d{4}|p[a-z]{2}[a-z1]\d0$|(?:ac|be|dn|gm|hd|in|kb|le|ne)(?:19|2\d)\d\d$|reno ?\d|find x)/,
  ],
  ['vivo', /^v\d{4}[a-z]{0,2}$/],
  ['huawei', /^(?:[a-z]{3}\d?-(?:lx|nx|tl|al|bd|[alntw])\w{1,4}$|mate ?\d|mediapad |nova \d)/],
  ['motorola', /^(?:moto[ (]|moto[a-z]{1,2}\d|xt\d{4}|tb-?x?\d{3})/],
  ['nokia', /^ta-\d{4}$/],
  ['sony', /^(?:xq-[a-z]{2}\d\d|[c-h]\d{4}$|xperia )/],
  ['lg', /^(?:lm-[a-z]|lg-?[a-z]{1,2}\d{3})/],
];

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
  return { model, maker: SERIES.find(([, pattern]) => pattern.test(model))?.[0] ?? named };
}
