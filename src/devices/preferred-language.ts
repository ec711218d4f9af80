const MAX_CHARACTERS = 255;
const MAX_TAGS = 16;
const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** The tag of `Accept-Language` with the highest weight, the first of equal ones (RFC 9110, section 12.5.4); null without one. */
export function preferredLanguage(header: string | null): string | null {
  let preferred: string | null = null;
  let highest = 0;
  for (const part of (header ?? '').slice(0, MAX_CHARACTERS).split(',', MAX_TAGS)) {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = weightIn(parameters);
    if (!TAG.test(tag) || !(weight > highest)) continue;
    preferred = tag;
    highest = weight;
  }
  return preferred;
}

function weightIn(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q=/i.test(parameter));
  return weight === undefined ? 1 : Number(weight.slice(2));
}
