import {
  type Browser,
  chrome,
  curl,
  cycle,
  desktop,
  instagramOnAndroid,
  instagramOnIphone,
  previewBot,
  safari,
  safari26,
} from './browsers.ts';

/** Somebody, or something, that meets the app: all that will happen is settled before it begins. */
export interface Person {
  readonly name: string;
  readonly browser: Browser;
  /** Address at the tap; undefined where this machine lends none. */
  readonly address: string | undefined;
  /** Address from the install on: another one for those who leave the Wi-Fi in between. */
  readonly laterAddress: string | undefined;
  /** Whose Wi-Fi it is, for those who are on somebody else's. */
  readonly host: string | null;
  readonly taps: number;
  /** Comes back by another link once the app is there. */
  readonly comesBack: boolean;
  readonly campaign: string;
  readonly events: readonly string[];
  readonly userId: string | null;
}

export const CAMPAIGNS = ['spring-sale', 'creator-week', 'newsletter'] as const;

interface Role {
  readonly browser: (index: number) => Browser;
  /** How often they tap before they install; 0 goes to the store directly. */
  readonly taps: 0 | 1 | 2;
  readonly switchesNetwork?: boolean;
  readonly comesBack?: boolean;
  /** Is on the Wi-Fi of whoever comes before. */
  readonly isGuest?: boolean;
}

const ROLES: readonly Role[] = [
  { browser: safari, taps: 1 },
  { browser: chrome, taps: 1 },
  { browser: instagramOnIphone, taps: 1, comesBack: true },
  { browser: safari, taps: 0, isGuest: true },
  { browser: chrome, taps: 2 },
  { browser: previewBot, taps: 1 },
  { browser: safari26, taps: 1 },
  { browser: instagramOnAndroid, taps: 1, comesBack: true },
  { browser: chrome, taps: 0 },
  { browser: safari, taps: 1, switchesNetwork: true },
  { browser: desktop, taps: 1 },
  { browser: safari, taps: 2 },
  { browser: chrome, taps: 1, switchesNetwork: true },
  { browser: safari26, taps: 0 },
  { browser: curl, taps: 1 },
];

const NAMES =
  'Ada Ben Chloé Dai Eva Finn Gül Hana Ivo June Kofi Lena Max Noor Otto Pia Quinn Rosa Sami Tess Uma Vera Wim Xenia Yuri Zoë Arno Bela Cara Dora';

const EVENTS = [
  ['sign_up', 'view_item', 'purchase'],
  ['view_item', 'add_to_cart'],
  ['sign_up', 'purchase'],
  [],
] as const;

/** @param addressAt gives each place in the network an address of its own; null puts everybody behind one. */
export function invitePeople(count: number, addressAt: ((place: number) => string) | null): Person[] {
  const names = NAMES.split(' ');
  const people: Person[] = [];
  for (let index = 0; index < count; index++) {
    const role = cycle(ROLES, index);
    const round = Math.floor(index / names.length);
    const events = cycle(EVENTS, index);
    const host = role.isGuest ? people.at(-1) : undefined;
    const address = host === undefined ? addressAt?.(2 * index) : host.address;
    people.push({
      name: cycle(names, index) + (round === 0 ? '' : ` ${round + 1}`),
      browser: role.browser(index),
      address,
      laterAddress: role.switchesNetwork ? addressAt?.(2 * index + 1) : address,
      host: host?.name ?? null,
      taps: role.taps,
      comesBack: role.comesBack === true,
      campaign: cycle(CAMPAIGNS, index),
      events,
      userId: events.some((name) => name === 'sign_up') ? `customer-${index + 1}` : null,
    });
  }
  return people;
}

/** Whether the install comes from another address than the tap. */
export function switchesNetwork({ address, laterAddress }: Person): boolean {
  return address !== laterAddress;
}
