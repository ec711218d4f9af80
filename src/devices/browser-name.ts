import { UAParser } from 'my-ua-parser';
import { truncate } from '../lib/text.ts';

/** A browser as people know it. Null where the user agent does not tell. */
interface BrowserName {
  /** With its major version: `Firefox 140`. */
  readonly browser: string | null;
  /** Without a version: browsers write an old one for Windows, macOS and Android. */
  readonly system: string | null;
}

const MAX_CHARACTERS = 1_024;
/** Where the parser's word is not the maker's. */
const SYSTEMS: Readonly<Record<string, string>> = { 'Mac OS': 'macOS', 'Chromium OS': 'ChromeOS' };
const BROWSERS: Readonly<Record<string, string>> = {
  'Mobile Safari': 'Safari',
  'Mobile Chrome': 'Chrome',
  'Mobile Firefox': 'Firefox',
};
/** The product of a program that is no browser: `curl/8.5.0`. */
const PROGRAM = /^(?!Mozilla\/)([A-Za-z][\w.-]{0,40})\/(\d{1,5})/;

export function nameBrowser(userAgent: string | null): BrowserName {
  if (userAgent === null) return { browser: null, system: null };
  const text = truncate(userAgent, MAX_CHARACTERS);
  const parser = new UAParser(text);
  const { name, major } = parser.getBrowser();
  const [, program, version] = PROGRAM.exec(text) ?? [];
  const [product, number] = name === undefined ? [program, version] : [BROWSERS[name] ?? name, major];
  const system = parser.getOS().name;
  return {
    browser: product === undefined ? null : [product, number].filter(Boolean).join(' '),
    system: system === undefined ? null : (SYSTEMS[system] ?? system),
  };
}
