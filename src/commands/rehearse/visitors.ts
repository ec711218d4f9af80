import { USER_AGENTS } from '../../diagnosis/index.ts';

/** The kinds of visitors of the diagnosis, by the words of the command line. */
const VISITORS = {
  iphone: ['iPhone', USER_AGENTS.iosSafari],
  android: ['Android phone', USER_AGENTS.androidChrome],
  'in-app': ['in-app browser on Android', USER_AGENTS.inAppBrowser],
  computer: ['computer', USER_AGENTS.desktop],
  chat: ['chat preview', USER_AGENTS.previewBot],
} as const;

export type VisitorName = keyof typeof VISITORS;
export const VISITOR_NAMES = Object.keys(VISITORS) as VisitorName[];

export interface RehearsedVisitor {
  readonly name: VisitorName;
  readonly label: string;
  /** A chat draws a card of the page that it gets; anybody else is led on by it. */
  readonly readsCard: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param language of `Accept-Language`. */
export function visitorOf(name: VisitorName, language: string): RehearsedVisitor {
  const [label, userAgent] = VISITORS[name];
  return {
    name,
    label,
    readsCard: name === 'chat',
    headers: {
      'user-agent': userAgent,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': language,
    },
  };
}
