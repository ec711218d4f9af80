import type { Server } from './http.ts';
import type { Person } from './people.ts';

export interface SimulatedLink {
  readonly shortCode: string;
  readonly shortUrl: string;
  /** In the link's parameters; identifies the link in an attribution. */
  readonly ref: string;
}

/** Creates the links of a run on first use: one per campaign, or per campaign and person. */
export class Links {
  readonly #links = new Map<string, Promise<SimulatedLink>>();
  readonly #server: Server;
  readonly #key: string;

  constructor(server: Server, key: string) {
    this.#server = server;
    this.#key = key;
  }

  linkFor(campaign: string, person: Person | null): Promise<SimulatedLink> {
    const ref = person === null ? campaign : `${campaign} of ${person.name}`;
    const link = this.#links.get(ref) ?? this.#create(campaign, ref);
    this.#links.set(ref, link);
    return link;
  }

  /** Null if no link was created. */
  async anyLink(): Promise<SimulatedLink | null> {
    return (await this.#links.values().next().value) ?? null;
  }

  async #create(campaign: string, ref: string): Promise<SimulatedLink> {
    const body = {
      deepLinkPath: `/${campaign}`,
      deepLinkParams: { ref },
      campaignId: campaign,
      iosDestination: 'https://apps.apple.com/app/id123456789',
      androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shop',
      fallbackUrl: `https://shop.example.com/${campaign}`,
    };
    const call = { method: 'POST', path: '/v1/links', headers: { 'x-api-key': this.#key }, body } as const;
    const { text } = await this.#server.expect(`creating the link “${ref}”`, call, 201);
    const { shortCode, shortUrl } = JSON.parse(text) as Omit<SimulatedLink, 'ref'>;
    return { shortCode, shortUrl, ref };
  }
}
