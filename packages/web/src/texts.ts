/** What a banner says. */

export interface BannerTexts {
  readonly title: string;
  readonly text?: string;
  /** Default `Open`. */
  readonly button?: string;
  /** Name of the button that closes the banner; default `Close`. */
  readonly close?: string;
}

export interface TranslatedTexts extends BannerTexts {
  /** Of these texts: `en`, `pt-BR`. Default: that of the page. */
  readonly language?: string;
  /** The same texts in other languages; one that is left out is as above. */
  readonly languages?: Readonly<Record<string, Partial<BannerTexts>>>;
}

interface Chosen extends BannerTexts {
  readonly language: string;
}

export const RIGHT_TO_LEFT = /^(ar|dv|fa|he|iw|ks|ps|sd|ug|ur|yi)\b/i;

/** In the first language of the visitor that there is, with or without its region. */
export function chooseTexts(
  { language = '', languages = {}, ...own }: TranslatedTexts,
  wanted: readonly string[],
): Chosen {
  const names = [language, ...Object.keys(languages)];
  for (const each of wanted)
    for (const ignored of [/^$/, /-.*/]) {
      const keyOf = (tag: string) => tag.toLowerCase().replace(ignored, '');
      const name = names.find((known) => keyOf(known) === keyOf(each));
      if (name) return { ...own, ...languages[name], language: name };
    }
  return { ...own, language };
}
