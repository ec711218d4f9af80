/** Simulated networks and the addresses that a server sees. */

import { iphoneShare } from './phones.ts';
import { PLACES, type Place, type PlaceName } from './places.ts';
import { Random } from './random.ts';
import type { Settings } from './settings.ts';

export interface Addresses {
  readonly ipv4: string;
  /** The /64; null for IPv4 only. */
  readonly ipv6: string | null;
}

/** A network with one public address: a home, an office, a hotspot. */
export interface Site {
  readonly before: Addresses;
  /** From `changesAtMs` on. */
  readonly after: Addresses;
  readonly changesAtMs: number;
}

/** The shared addresses of a carrier. */
export interface Carrier {
  readonly place: PlaceName;
  readonly pool: readonly string[];
}

export class Networks {
  readonly #random: Random;
  readonly #settings: Settings;
  readonly #taken = new Set<string>();
  readonly #carriers = new Map<PlaceName, { readonly carrier: Carrier; readonly weight: number }[]>();
  readonly #natted = new Map<PlaceName, string[]>();
  readonly #offices = new Map<PlaceName, Site[]>();
  readonly #hotspots = new Map<PlaceName, Site[]>();
  readonly #relays = new Map<PlaceName, string[]>();

  constructor(random: Random, settings: Settings) {
    this.#random = random;
    this.#settings = settings;
    const all = Object.values(settings.places).reduce((sum, weight) => sum + weight, 0);
    for (const [name, weight] of Object.entries(settings.places) as [PlaceName, number][])
      this.#build(name, settings.people * (weight / all));
  }

  #build(name: PlaceName, people: number): void {
    const { homeNatShare, peoplePerHomeNat, relayShare, ...rest } = this.#settings;
    const place = PLACES[name];
    const pool = (size: number) =>
      Array.from({ length: Math.max(1, Math.round(size)) }, () => this.ipv4(place));
    const all = place.carriers.reduce((sum, weight) => sum + weight, 0);
    const carriers = place.carriers.map((weight) => ({
      carrier: {
        place: name,
        pool: this.#gateways(place, (people * weight) / all / rest.peoplePerCarrierAddress),
      },
      weight,
    }));
    this.#carriers.set(name, carriers);
    this.#natted.set(name, pool((people * homeNatShare) / peoplePerHomeNat));
    this.#offices.set(name, this.#buildOffices(place, people * rest.officeShare));
    const hotspots = (people * rest.hotspotShare) / rest.peoplePerHotspot;
    this.#hotspots.set(
      name,
      pool(hotspots).map((ipv4) => fixed(ipv4)),
    );
    const egresses = (people * iphoneShare(place, rest.iphoneOdds) * relayShare) / rest.peoplePerRelayAddress;
    this.#relays.set(
      name,
      Array.from({ length: Math.ceil(egresses) || 1 }, () => this.#egress()),
    );
  }

  /** A carrier's pool consists of the address blocks of its gateways. */
  #gateways(place: Place, size: number): string[] {
    const pool: string[] = [];
    while (pool.length < Math.max(1, Math.round(size))) {
      const [a, b, c, d] = this.ipv4(place).split('.').map(Number);
      const first = (d ?? 0) & ~(GATEWAY_ADDRESSES - 1);
      for (let host = first; host < first + GATEWAY_ADDRESSES && pool.length < size; host++) {
        this.#taken.add(`${a}.${b}.${c}.${host}`);
        pool.push(`${a}.${b}.${c}.${host}`);
      }
    }
    return pool;
  }

  /** Many small offices and few large ones, which have most of the people. */
  #buildOffices(place: Place, people: number): Site[] {
    const [fewest, most] = this.#settings.peoplePerOffice;
    const offices: Site[] = [];
    for (let seats = 0; seats < people; ) {
      const size = Math.round(fewest * (most / fewest) ** this.#random.next());
      // One entry per seat, so that a random pick is weighted by size.
      const office = fixed(this.ipv4(place));
      for (let seat = 0; seat < size; seat++) offices.push(office);
      seats += size;
    }
    return offices;
  }

  /** Own addresses change when the router reconnects; shared ones do not. */
  home(name: PlaceName, startMs: number): Site {
    const { homeNatShare, homeIpv6Share, homeRenumberedPerDay } = this.#settings;
    const place = PLACES[name];
    const shared = this.#random.chance(homeNatShare) ? this.#random.pick(this.#natted.get(name) ?? []) : null;
    const hasIpv6 = this.#random.chance(homeIpv6Share);
    const addresses = () => ({
      ipv4: shared ?? this.ipv4(place),
      ipv6: hasIpv6 ? this.prefix(place) : null,
    });
    const changesAtMs = startMs + this.#random.exponential(1 / homeRenumberedPerDay) * DAY_MS;
    return { before: addresses(), after: addresses(), changesAtMs };
  }

  office(name: PlaceName): Site | null {
    return this.#random.pick(this.#offices.get(name) ?? []) ?? null;
  }

  hotspot(name: PlaceName): Site {
    return this.#random.pick(this.#hotspots.get(name) ?? []);
  }

  carrier(name: PlaceName): Carrier {
    return this.#random.weighted(this.#carriers.get(name) ?? []).carrier;
  }

  /** A relay picks an egress address of the area for each connection. */
  relay(name: PlaceName, owner: number, atMs: number): string {
    const egress = this.#random.pick(this.#relays.get(name) ?? []);
    return egress.endsWith('::') ? host(egress, owner, atMs) : egress;
  }

  /** An unused IPv4 address of the place. */
  ipv4(place: Place): string {
    for (;;) {
      const byte = () => this.#random.between(1, 254);
      const address = `${this.#random.pick(place.ipv4)}.${byte()}.${byte()}.${byte()}`;
      if (!this.#taken.has(address)) {
        this.#taken.add(address);
        return address;
      }
    }
  }

  /** A /64 of the place, as `2003:c1:1:2::`. */
  prefix(place: Place): string {
    return `${place.ipv6}:${this.#random.hex(4)}:${this.#random.hex(4)}::`;
  }

  #egress(): string {
    const byte = () => this.#random.between(1, 254);
    if (this.#random.chance(RELAY_IPV4_SHARE)) return `${this.#random.pick(RELAY_IPV4)}.${byte()}.${byte()}`;
    return `${this.#random.pick(RELAY_IPV6)}:${this.#random.hex(4)}:${this.#random.hex(4)}::`;
  }
}

/** The address of a phone in a /64; the lower half changes daily. */
export function host(prefix: string, owner: number, atMs: number): string {
  const random = new Random(
    Math.imul(owner + 1, 31) + Math.floor(atMs / DAY_MS) + Number.parseInt(prefix.slice(-6, -2), 16),
  );
  const group = () => random.hex(4);
  return `${prefix.slice(0, -1)}${group()}:${group()}:${group()}:${group()}`;
}

/** A network with a permanent address. */
function fixed(ipv4: string): Site {
  const addresses = { ipv4, ipv6: null };
  return { before: addresses, after: addresses, changesAtMs: Number.POSITIVE_INFINITY };
}

const DAY_MS = 86_400_000;
/** A carrier's gateway has a /28. */
const GATEWAY_ADDRESSES = 16;
const RELAY_IPV4_SHARE = 0.4;
/** Egress ranges of the relay's operators. */
const RELAY_IPV4 = ['172.225', '104.28', '146.75'];
const RELAY_IPV6 = ['2a02:26f7', '2606:54c0', '2a09:bac2'];
