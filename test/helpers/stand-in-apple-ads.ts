/**
 * Stands in for Apple's attribution server, made from the page of `AAAttribution.attributionToken()` on
 * developer.apple.com: a POST of the bare token as `text/plain`; 200 with a record, 400 for an invalid token, 404 for one
 * without a record, 500 during an outage. It was not compared with the server itself.
 */
import { randomBytes } from 'node:crypto';
import { StandIn, type StandInRequest } from './stand-in.ts';
import { waitFor } from './wait-for.ts';

const PATH = '/api/v1/';

/** The record of Apple's page, for an ad that was tapped by a person who does not allow tracking. */
export const APPLE_RECORD = {
  attribution: true,
  orgId: 40_669_820,
  campaignId: 542_370_539,
  conversionType: 'Download',
  claimType: 'Click',
  adGroupId: 542_317_095,
  countryOrRegion: 'US',
  keywordId: 87_675_432,
  adId: 542_317_136,
  supplyPlacement: 'APPSTORE_SEARCH_RESULTS',
};
/** What an app that is under development gets. */
export const DEVELOPER_RECORD = {
  ...APPLE_RECORD,
  ...{
    orgId: 1234567890,
    campaignId: 1234567890,
    adGroupId: 1234567890,
    adId: 1234567890,
    keywordId: 12323222,
  },
};
/** What the service makes of `APPLE_RECORD`. */
export const APPLE_CLAIM = {
  ...{ name: 'apple_ads', campaignId: '542370539', campaignName: null, adGroupId: '542317095' },
  ...{ adGroupName: null, adId: '542317136', adName: null, keywordId: '87675432' },
  ...{ claimType: 'Click', conversionType: 'Download', clickedAt: null, test: false },
};

/** A record, a status without one, or `never` for no answer; a promise holds the request. */
type AppleAnswer = object | number | 'never';
type Answering = (nth: number) => AppleAnswer | Promise<AppleAnswer>;

export class StandInAppleAds extends StandIn {
  readonly #answers = new Map<string, Answering>();

  protected override async answer({ method, path, headers, body: token }: StandInRequest) {
    const isCall = method === 'POST' && path === PATH && /^text\/plain\b/.test(headers['content-type'] ?? '');
    const answer = isCall ? await this.#answers.get(token)?.(this.timesAsked(token)) : undefined;
    if (answer === 'never') return answer;
    return typeof answer === 'object' ? { status: 200, body: answer } : { status: answer ?? 400, body: '' };
  }

  get url(): string {
    return `${this.baseUrl}${PATH}`;
  }

  /** A new token, in Apple's alphabet. */
  token(answer: Answering | AppleAnswer): string {
    const token = randomBytes(180).toString('base64');
    this.#answers.set(token, typeof answer === 'function' ? (answer as Answering) : () => answer);
    return token;
  }

  timesAsked(token: string): number {
    return this.requests.filter(({ body }) => body === token).length;
  }

  async asked(token: string, times = 1): Promise<void> {
    await waitFor(`question ${times} about a token`, () => this.timesAsked(token) >= times || undefined);
  }
}
