import type { Foundation } from '../foundation.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { CODE_ALPHABET } from '../links/index.ts';

const CODE_CHARACTERS = 12;

/**
 * The short codes of a content, one after another: the first whose link is neither deleted nor expired is that of the content. So all
 * processes find the same link without another index, and nobody without the root secret can tell a code.
 */
export function shareCodes(
  { secrets }: Pick<Foundation, 'secrets'>,
  content: Readonly<Record<string, unknown>>,
): (count: number) => string {
  const text = canonicalJson(content);
  return (count) => {
    const mac = secrets.hashRequest(`share link ${count} ${text}`);
    let rest = BigInt(`0x${Buffer.from(mac, 'base64url').toString('hex')}`);
    let code = '';
    while (code.length < CODE_CHARACTERS) {
      code += CODE_ALPHABET[Number(rest % BigInt(CODE_ALPHABET.length))];
      rest /= BigInt(CODE_ALPHABET.length);
    }
    return code;
  };
}
