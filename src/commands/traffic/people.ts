/** Simulated people, their location over time, and the addresses of their devices. */

import { type Addresses, type Carrier, host, Networks, type Site } from './networks.ts';
import { buildPhone, type Owner, updateOs } from './phones.ts';
import { PLACES, type PlaceName } from './places.ts';
import type { Random } from './random.ts';
import type { Settings } from './settings.ts';

export interface Person extends Owner {
  readonly id: number;
  readonly place: PlaceName;
  readonly home: Site | null;
  readonly office: Site | null;
  readonly carrier: Carrier;
  readonly hasCarrierIpv6: boolean;
  readonly hasRelay: boolean;
  /** The current network; null for the carrier. */
  on: Site | null;
  sinceMs: number;
  /** The current addresses from the carrier. */
  carrierIpv4: string;
  carrierIpv6: string;
}

export class People {
  readonly networks: Networks;
  readonly #random: Random;
  readonly #settings: Settings;
  readonly #startMs: number;

  constructor(random: Random, settings: Settings, startMs: number) {
    this.#random = random;
    this.#settings = settings;
    this.#startMs = startMs;
    this.networks = new Networks(random, settings);
  }

  /** All people, by household. */
  *all(): Generator<Person> {
    for (let id = 0; id < this.#settings.people; ) {
      const place = this.#random.key(this.#settings.places);
      const home = this.#random.chance(this.#settings.homeShare)
        ? this.networks.home(place, this.#startMs)
        : null;
      const zone = this.#random.weighted(PLACES[place].zones);
      const language = this.#random.weighted(PLACES[place].languages);
      for (let members = this.#activeMembers(); members > 0 && id < this.#settings.people; members--)
        yield this.#build(id++, { place, home, zone, language });
    }
  }

  #activeMembers(): number {
    const sizes = this.#settings.householdSizes.map((weight, index) => ({ others: index, weight }));
    const { others } = this.#random.weighted(sizes);
    let active = 1;
    for (let other = 0; other < others; other++)
      active += Number(this.#random.chance(this.#settings.kinShare));
    return active;
  }

  #build(id: number, household: Pick<Person, 'place' | 'home' | 'zone' | 'language'>): Person {
    const random = this.#random;
    const { officeShare, otherLanguageShare, carrierIpv6Share, relayShare, iphoneOdds } = this.#settings;
    const place = PLACES[household.place];
    const carrier = this.networks.carrier(household.place);
    // Most members of a household share a language.
    const language = random.chance(0.9) ? household.language : random.weighted(place.languages);
    return {
      ...household,
      id,
      language,
      browserLanguage: random.chance(otherLanguageShare) ? random.weighted(place.languages) : language,
      phone: buildPhone(random, place, iphoneOdds),
      office: random.chance(officeShare) ? this.networks.office(household.place) : null,
      carrier,
      hasCarrierIpv6: random.chance(carrierIpv6Share),
      hasRelay: random.chance(relayShare),
      on: null,
      sinceMs: Number.NEGATIVE_INFINITY,
      carrierIpv4: random.pick(carrier.pool),
      carrierIpv6: this.networks.prefix(place),
    };
  }

  /** Advances a person in time: may change network, address or OS version. */
  advance(person: Person, atMs: number): void {
    const { stayHours, carrierMoveHours, osUpdatePerDay } = this.#settings;
    const hours = (atMs - person.sinceMs) / HOUR_MS;
    if (this.#random.chance(1 - Math.exp(-hours / stayHours))) person.on = this.#place(person, atMs);
    if (this.#random.chance(1 - Math.exp(-hours / carrierMoveHours))) {
      person.carrierIpv4 = this.#random.pick(person.carrier.pool);
      person.carrierIpv6 = this.networks.prefix(PLACES[person.place]);
    }
    if (hours < 1_000 && this.#random.chance((hours / 24) * osUpdatePerDay)) updateOs(person.phone);
    person.sinceMs = atMs;
  }

  /** Between Wi-Fi and carrier, as for a large download or when leaving home. */
  switchNetwork(person: Person): void {
    person.on = person.on ? null : person.home;
  }

  /** The network of the person's computer: at home or at the office. */
  computerNetwork(person: Person, atMs: number): Site | null {
    return this.#isWorking(person, atMs) ? person.office : person.home;
  }

  #place(person: Person, atMs: number): Site | null {
    if (this.#isWorking(person, atMs) && this.#random.chance(0.7)) return person.office;
    const hour = localHour(person, atMs);
    const atHome = hour < 8 || hour >= 19 ? 0.8 : 0.4;
    if (person.home && this.#random.chance(atHome)) return person.home;
    return this.#random.chance(this.#settings.hotspotShare) ? this.networks.hotspot(person.place) : null;
  }

  #isWorking(person: Person, atMs: number): boolean {
    const hour = localHour(person, atMs);
    return person.office !== null && hour >= 9 && hour < 17;
  }

  /** The source address of a connection from a network. */
  address(person: Person, on: Site | null, atMs: number): string {
    const { ipv4, ipv6 } = on ? (atMs < on.changesAtMs ? on.before : on.after) : carrierAddresses(person);
    return ipv6 && this.#prefersIpv6(person) ? host(ipv6, person.id, atMs) : ipv4;
  }

  /** A habit of the person with exceptions, because most phones keep to one family on a network. */
  #prefersIpv6({ id }: Person): boolean {
    const habit = (Math.imul(id + 1, 0x9e3779b1) >>> 0) / 2 ** 32 < this.#settings.ipv6Share;
    return habit !== this.#random.chance(this.#settings.familyFlipShare);
  }
}

function carrierAddresses({ carrierIpv4, carrierIpv6, hasCarrierIpv6 }: Person): Addresses {
  return { ipv4: carrierIpv4, ipv6: hasCarrierIpv6 ? carrierIpv6 : null };
}

/** In [0, 24), with minutes as a fraction. */
export function localHour({ zone }: Owner, atMs: number): number {
  return (((atMs / HOUR_MS + zone.offsetHours) % 24) + 24) % 24;
}

const HOUR_MS = 3_600_000;
