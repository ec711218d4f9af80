/** The order of the documents for a reader. A guide that no group names is in the last one. */

interface Group {
  readonly title: string;
  /** Below `docs`, without `.md`. */
  readonly pages: readonly string[];
}

const guides = (names: string) => names.split(' ').map((name) => `guide/${name}`);

const GROUPS: readonly Group[] = [
  {
    title: 'Install and run',
    pages: guides(
      'docker debian kubernetes running proxies doctor domain upgrading support backup secrets monitoring alerts outages',
    ),
  },
  { title: 'Grow', pages: guides('growing citus regions moving') },
  { title: 'Links', pages: guides('links share-links importing apple-rules abuse') },
  { title: 'In the app', pages: guides('clients react-native flutter server mcp') },
  {
    title: 'What happened',
    pages: guides('events standard-events statistics accuracy costs live exports warehouse'),
  },
  {
    title: 'Pass it on',
    pages: guides(
      'webhooks destinations analytics-destinations destinations-ads http-destinations networks postbacks revenuecat',
    ),
  },
  { title: 'People and privacy', pages: guides('console accounts keys audit-log privacy') },
];
const REST: readonly { readonly title: string; readonly pattern: RegExp }[] = [
  { title: 'More guides', pattern: /^guide\// },
  { title: 'Reference', pattern: /^reference\// },
  { title: 'Packages', pattern: /^(?:packages|clients)\// },
  { title: 'Inside the service', pattern: /^(?:internals|adr)\/|^import$/ },
];

/** @param pages that there are. Groups without one are left out. */
export function groupsOf(pages: readonly string[]): Group[] {
  const named = new Set(GROUPS.flatMap((group) => group.pages));
  const chosen = GROUPS.map((group) => ({
    title: group.title,
    pages: group.pages.filter((page) => pages.includes(page)),
  }));
  const rest = REST.map(({ title, pattern }) => ({
    title,
    pages: pages.filter((page) => pattern.test(page) && !named.has(page)),
  }));
  return [...chosen, ...rest].filter((group) => group.pages.length > 0);
}
