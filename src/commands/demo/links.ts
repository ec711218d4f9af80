/** The links of the demo, the most clicked first, and where their visitors come from. */

/** Where a click comes from, as a share of the link's clicks. */
export interface Source {
  readonly weight: number;
  /** Value of `Referer`; null for apps and scanners that send none. */
  readonly referrer: string | null;
  /** What follows the short link's address. */
  readonly query: string;
}

export interface LinkPlan {
  readonly code: string;
  readonly path: string;
  readonly campaign: string | null;
  readonly title: string;
  readonly description: string;
  /** Days after the start of the demo. */
  readonly madeOnDay: number;
  /** Null for a link without an end. */
  readonly endsAfterDays: number | null;
  readonly sources: readonly Source[];
}

const DIRECT: Source = { weight: 0.3, referrer: null, query: '' };
const from = (host: string, weight: number, query = ''): Source => ({
  weight,
  referrer: `https://${host}/`,
  query,
});
const utm = (source: string, medium: string, campaign: string) =>
  `?utm_source=${source}&utm_medium=${medium}&utm_campaign=${campaign}`;
const mail = (weight: number, campaign: string): Source => ({
  weight,
  referrer: null,
  query: utm('newsletter', 'email', campaign),
});

export const LINKS: readonly LinkPlan[] = [
  {
    code: 'season-sale',
    path: '/sale',
    campaign: 'season-sale',
    title: 'Season sale: up to 40 % off',
    description: 'Boots, sneakers and sandals, until the boxes are empty.',
    madeOnDay: 0,
    endsAfterDays: null,
    sources: [
      from('l.instagram.com', 0.35, utm('instagram', 'social', 'season-sale')),
      from('www.google.com', 0.15),
      from('www.tiktok.com', 0.2, utm('tiktok', 'social', 'season-sale')),
      DIRECT,
    ],
  },
  {
    code: 'creator-lena',
    path: '/creators/lena',
    campaign: 'creators',
    title: 'Lena’s favourites',
    description: 'The shoes of her last video, in your size.',
    madeOnDay: 0,
    endsAfterDays: null,
    sources: [
      from('www.youtube.com', 0.6, utm('lena', 'creator', 'creators')),
      from('l.instagram.com', 0.3, utm('lena', 'creator', 'creators')),
      DIRECT,
    ],
  },
  {
    code: 'letter',
    path: '/news',
    campaign: 'newsletter',
    title: 'New this week',
    description: 'Twelve pairs that arrived on Monday.',
    madeOnDay: 0,
    endsAfterDays: null,
    sources: [mail(0.8, 'weekly'), from('mail.google.com', 0.2, utm('newsletter', 'email', 'weekly'))],
  },
  {
    code: 'invite',
    path: '/invite',
    campaign: 'friends',
    title: 'A friend gives you 10 off',
    description: 'Your first order is cheaper, and your friend gets the same.',
    madeOnDay: 0,
    endsAfterDays: null,
    sources: [DIRECT, from('web.whatsapp.com', 0.1)],
  },
  {
    code: 'creator-jonas',
    path: '/creators/jonas',
    campaign: 'creators',
    title: 'Jonas tests running shoes',
    description: 'Six pairs, one hundred kilometres each.',
    madeOnDay: 12,
    endsAfterDays: null,
    sources: [from('www.youtube.com', 0.8, utm('jonas', 'creator', 'creators')), DIRECT],
  },
  {
    code: 'sale-letter',
    path: '/sale',
    campaign: 'season-sale',
    title: 'The sale starts for readers',
    description: 'A day earlier than for everybody else.',
    madeOnDay: 5,
    endsAfterDays: null,
    sources: [mail(1, 'season-sale')],
  },
  {
    code: 'shop-berlin',
    path: '/stores/berlin',
    campaign: 'posters',
    title: 'The shop in Berlin',
    description: 'The poster in the window.',
    madeOnDay: 0,
    endsAfterDays: null,
    sources: [DIRECT],
  },
  {
    code: 'search-ads',
    path: '/sale',
    campaign: 'season-sale',
    title: 'Season sale, search ads',
    description: 'Up to 40 % off.',
    madeOnDay: 20,
    endsAfterDays: null,
    sources: [from('www.google.com', 0.8, utm('google', 'cpc', 'season-sale')), from('www.bing.com', 0.2)],
  },
  {
    code: 'launch',
    path: '/launch',
    campaign: 'launch',
    title: 'The app is here',
    description: 'Free delivery in the first month.',
    madeOnDay: 0,
    endsAfterDays: 30,
    sources: [from('news.ycombinator.com', 0.2), from('t.co', 0.4, utm('x', 'social', 'launch')), DIRECT],
  },
  {
    code: 'shop-lyon',
    path: '/stores/lyon',
    campaign: 'posters',
    title: 'The shop in Lyon',
    description: 'The poster at the tram stop.',
    madeOnDay: 33,
    endsAfterDays: null,
    sources: [DIRECT],
  },
  {
    code: 'sizes',
    path: '/help/sizes',
    campaign: null,
    title: 'Find your size',
    description: 'Measure your foot with the camera.',
    madeOnDay: 8,
    endsAfterDays: null,
    sources: [from('help.shop.example', 0.7), DIRECT],
  },
  {
    code: 'winback',
    path: '/welcome-back',
    campaign: 'come-back',
    title: 'We kept your size',
    description: 'Your basket is where you left it.',
    madeOnDay: 15,
    endsAfterDays: null,
    sources: [mail(0.6, 'come-back'), DIRECT],
  },
];
