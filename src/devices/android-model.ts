/** Reads Android's part of a user agent: `Android 14; de-de; moto g(7) play Build/UP1A.231005.007; wv)`. */

interface AndroidPart {
  /** `14` or `8.1.0`; null if it is missing. */
  readonly version: string | null;
  /** `Build.MODEL` as written; null if it is missing or hidden. */
  readonly model: string | null;
}

/** `Adr` and `JUC` are UC Browser's words in its proxy mode; some apps leave out parentheses or write commas. */
const START = /\b(?:Android|Adr|JUC ?\(Linux; ?U;(?= ?\d))(?:[ /-]?([\d.]+\d|\d))?[^;,()]{0,16}([;,])/i;
/** More than any model and what stands around it. */
const MAX_CHARACTERS = 200;
/** The model ends where the build begins; without parentheses, where the engine does. */
const END = /\s*(?:\bBuild[/ ]|\bAppleWebKit\/|(?<=[a-z\d])Build\/).*$/is;
/** Parts that Android, browsers and apps write in the model's place. */
const NO_MODEL =
  /^(?:[UIN]|K|wv|rv\b.*|mobile|tablet|phone|tv|linux|(?:open)?harmony.*|hmscore.*|opera .*|android.*|arm(?:_?64|v\d\w*|eabi\S*)?|aarch64|x86(?:_64)?|build|(?:sdk|api)[ /]?\d+|\d+dpi|\d{3,4}[x*]\d{3,4}|.*:.*|[^/]*https?.*)$/i;
/** `ru`, `zh-cn`, `es_US`. */
const LOCALE = /^[a-z]{2}(?:[-_](?:[a-z]{2,4})?)?$/i;

/** @returns null for a user agent without Android. */
export function readAndroid(userAgent: string): AndroidPart | null {
  const start = START.exec(userAgent);
  if (start === null) return null;
  const [head, version = null, separator = ';'] = start;
  const rest = userAgent.slice(start.index + head.length, start.index + head.length + MAX_CHARACTERS);
  return { version, model: modelIn(insideParentheses(rest).split(separator)) };
}

function modelIn(parts: readonly string[]): string | null {
  let isAfterLocale = false;
  for (const part of parts) {
    const name = part.replace(END, '').trim();
    if (name === '' || NO_MODEL.test(name)) continue;
    if (isAfterLocale || !LOCALE.test(name)) return name;
    isAfterLocale = true;
  }
  return null;
}

/** Up to the parenthesis that closes the comment; models have parentheses of their own. */
function insideParentheses(text: string): string {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    else if (text[index] === ')' && --depth < 0) return text.slice(0, index);
  }
  return text;
}
