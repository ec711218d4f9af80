import { PLACES } from '../traffic/places.ts';
import { Random } from '../traffic/random.ts';
import { buildReleases } from '../traffic/sdk.ts';
import { buildClient, type Client, type ClientName } from './clients.ts';

export interface Person {
  readonly name: string;
  readonly client: Client;
  /** Local address at the tap; undefined for the system's choice. */
  readonly address: string | undefined;
  /** Local address from the install on; another one after a change of network. */
  readonly laterAddress: string | undefined;
  /** Name of the person whose Wi-Fi this person shares. */
  readonly wifiOwner: string | null;
  readonly taps: number;
  /** Taps another link after the install. */
  readonly returns: boolean;
  readonly campaign: string;
  readonly events: readonly string[];
  readonly userId: string | null;
}

const CAMPAIGNS = ['spring-sale', 'creator-week', 'newsletter'] as const;

interface Role {
  readonly client: ClientName;
  /** Before the install; 0 goes to the store directly. */
  readonly taps: 0 | 1 | 2;
  readonly switchesNetwork?: boolean;
  readonly returns?: boolean;
  /** Shares the Wi-Fi of the previous person. */
  readonly isGuest?: boolean;
}

const ROLES: readonly Role[] = [
  { client: 'iPhone, Safari', taps: 1 },
  { client: 'Android, Chrome', taps: 1 },
  { client: 'iPhone, Instagram', taps: 1, returns: true },
  { client: 'iPhone, Safari', taps: 0, isGuest: true },
  { client: 'Android, Chrome', taps: 2 },
  { client: 'preview bot', taps: 1 },
  { client: 'iPhone, Safari', taps: 1 },
  { client: 'Android, Instagram', taps: 1, returns: true },
  { client: 'Android, Chrome', taps: 0 },
  { client: 'iPhone, Safari', taps: 1, switchesNetwork: true },
  { client: 'desktop', taps: 1 },
  { client: 'iPhone, Safari', taps: 2 },
  { client: 'Android, Chrome', taps: 1, switchesNetwork: true },
  { client: 'iPhone, Safari', taps: 0 },
  { client: 'curl', taps: 1 },
];

const SEED = 1;

const NAMES =
  'Ada Ben Chloé Dai Eva Finn Gül Hana Ivo June Kofi Lena Max Noor Otto Pia Quinn Rosa Sami Tess Uma Vera Wim Xenia Yuri Zoë Arno Bela Cara Dora';

const EVENTS = [
  ['sign_up', 'view_item', 'purchase'],
  ['view_item', 'add_to_cart'],
  ['sign_up', 'purchase'],
  [],
] as const;

/** @param addressAt returns a local address by index; null for one address for all. */
export function createPeople(count: number, addressAt: ((index: number) => string) | null): Person[] {
  const random = new Random(SEED);
  const releases = buildReleases(random);
  const places = Object.values(PLACES);
  const names = NAMES.split(' ');
  const people: Person[] = [];
  for (let index = 0; index < count; index++) {
    const role = cycle(ROLES, index);
    const round = Math.floor(index / names.length);
    const events = cycle(EVENTS, index);
    const owner = role.isGuest ? people.at(-1) : undefined;
    const address = owner === undefined ? addressAt?.(2 * index) : owner.address;
    people.push({
      name: cycle(names, index) + (round === 0 ? '' : ` ${round + 1}`),
      // Neighbours live in different places, so that guests differ from their hosts.
      client: buildClient(random, role.client, cycle(places, index), random.weighted(releases)),
      address,
      laterAddress: role.switchesNetwork ? addressAt?.(2 * index + 1) : address,
      wifiOwner: owner?.name ?? null,
      taps: role.taps,
      returns: role.returns === true,
      campaign: cycle(CAMPAIGNS, index),
      events,
      userId: events.some((name) => name === 'sign_up') ? `customer-${index + 1}` : null,
    });
  }
  return people;
}

export function switchesNetwork({ address, laterAddress }: Person): boolean {
  return address !== laterAddress;
}

function cycle<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
