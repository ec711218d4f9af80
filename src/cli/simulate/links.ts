import type { Server } from './http.ts';
import type { Person } from './people.ts';

/** A link that was made for this run. */
export interface SimulatedLink {
  readonly shortCode: string;
  readonly shortUrl: string;
  /** Stands in the link's parameters, so that an answer tells which link it speaks of. */
  readonly ref: string;
}

/** The links of a run, made when they are first needed: one for each campaign, or for a person in it. */
export class Links {
  readonly #made = new Map<string, Promise<SimulatedLink>>();
  readonly #server: Server;
  readonly #key: string;

  constructor(server: Server, key: string) {
    this.#server = server;
    this.#key = key;
  }

  linkFor(campaign: string, person: Person | null): Promise<SimulatedLink> {
    const ref = person === null ? campaign : `${campaign} of ${person.name}`;
    const made = this.#made.get(ref) ?? this.#make(campaign, ref);
    this.#made.set(ref, made);
    return made;
  }

  /** Null when nobody tapped anything. */
  async anyLink(): Promise<SimulatedLink | null> {
    return (await this.#made.values().next().value) ?? null;
  }

  async #make(campaign: string, ref: string): Promise<SimulatedLink> {
    const body = {
      deepLinkPath: `/${campaign}`,
      deepLinkParams: { ref },
      campaignId: campaign,
      iosDestination: 'https://apps.apple.com/app/id123456789',
      androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shop',
      fallbackUrl: `https://shop.example.com/${campaign}`,
    };
    const call = { method: 'POST', path: '/v1/links', headers: { 'x-api-key': this.#key }, body } as const;
    const { text } = await this.#server.ask(`making the link “${ref}”`, call, 201);
    const { shortCode, shortUrl } = JSON.parse(text) as Omit<SimulatedLink, 'ref'>;
    return { shortCode, shortUrl, ref };
  }
}
