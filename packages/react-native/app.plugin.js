/**
 * Expo config plugin: `["@throughline/react-native", { "hosts": ["go.example.com"] }]` makes links of these hosts open the
 * app. A second run changes nothing. Queries of the Play Store need no entry, since Android shows an app its installer.
 *
 * @param {{ ios?: object, android?: object }} config of the app
 * @param {{ hosts: string[], wholeHost?: boolean, postbackEndpoint?: string, reengagementPostbacks?: boolean }} options
 *   `wholeHost`: Android opens the app for every path of the hosts, not only for short links (`/l/`); iOS follows the
 *   service's `apple-app-site-association`. `postbackEndpoint`: where iPhones send copies of the postbacks of SKAdNetwork
 *   and AdAttributionKit, such as `https://example.com`; with `reengagementPostbacks` also those of re-engagements.
 * @throws {Error} that says which option is wrong
 */
module.exports = function withThroughline(config, given) {
  const options = given ?? {};
  checkNames(options);
  const { hosts, wholeHost = false, ...postbacks } = options;
  checkHosts(hosts);
  const { ios = {}, android = {} } = config;
  return {
    ...config,
    ios: {
      ...ios,
      associatedDomains: withDomains(ios.associatedDomains ?? [], hosts),
      ...withPostbacks(ios.infoPlist, postbacks),
    },
    android: {
      ...android,
      intentFilters: withFilter(android.intentFilters ?? [], toFilter(hosts, wholeHost)),
    },
  };
};

const NAMES = ['hosts', 'wholeHost', 'postbackEndpoint', 'reengagementPostbacks'];
/** Apple takes some of them that have one dot more: `example.co.uk`. */
const SECOND_LEVEL = /\.(ac|co|com|edu|gov|net|or|org)\.[a-z]{2}$/i;

function fail(reason) {
  throw new Error(`@throughline/react-native: ${reason}`);
}

function checkNames(options) {
  for (const [name, value] of Object.entries(options)) {
    if (!NAMES.includes(name)) fail(`there is no option “${name}”. The options are ${NAMES.join(', ')}.`);
    const isSwitch = name === 'wholeHost' || name === 'reengagementPostbacks';
    if (isSwitch && value !== undefined && typeof value !== 'boolean')
      fail(`${name} is true or false, without quotes.`);
  }
  if (options.reengagementPostbacks && options.postbackEndpoint === undefined)
    fail('reengagementPostbacks needs postbackEndpoint, where the copies go, such as https://example.com.');
}

function checkHosts(hosts) {
  const example =
    'Name the hosts of your short links in the app config: ["@throughline/react-native", { "hosts": ["go.example.com"] }].';
  if (!hosts || hosts.length === 0) fail(`hosts is missing. ${example}`);
  if (!Array.isArray(hosts)) fail(`hosts is no list. ${example}`);
  const wrong = hosts.find((host) => !isHost(host));
  if (wrong !== undefined) fail(`“${wrong}” is no host. ${example}`);
}

/** Without scheme, port and path; `localhost` and numbers open no app. */
function isHost(host) {
  const labels = typeof host === 'string' ? host.split('.') : [];
  return (
    labels.length > 1 &&
    labels.every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label)) &&
    !/^\d+$/.test(labels.at(-1))
  );
}

function withDomains(domains, hosts) {
  return [...new Set([...domains, ...hosts.map((host) => `applinks:${host}`)])];
}

/** Apple takes the registrable domain only, and its own paths. */
function withPostbacks(infoPlist, { postbackEndpoint, reengagementPostbacks = false }) {
  if (postbackEndpoint === undefined) return infoPlist === undefined ? {} : { infoPlist };
  const host = /^https:\/\/([^/]+)$/i.exec(postbackEndpoint)?.[1];
  if (!isHost(host))
    fail(
      `postbackEndpoint “${postbackEndpoint}” is no address of a host. Write https:// and the domain, such as https://example.com, without a path.`,
    );
  if (host.split('.').length > (SECOND_LEVEL.test(host) ? 3 : 2))
    console.warn(
      `@throughline/react-native: iPhones send copies of postbacks to the registrable domain of ${postbackEndpoint}, not to its subdomain. Name that domain.`,
    );
  return {
    infoPlist: {
      ...infoPlist,
      NSAdvertisingAttributionReportEndpoint: postbackEndpoint,
      AttributionCopyEndpoint: postbackEndpoint,
      ...(reengagementPostbacks && { EligibleForAdAttributionKitReengagementPostbackCopies: true }),
    },
  };
}

function toFilter(hosts, wholeHost) {
  return {
    action: 'VIEW',
    autoVerify: true,
    data: hosts.map((host) => ({ scheme: 'https', host, ...(!wholeHost && { pathPrefix: '/l/' }) })),
    category: ['BROWSABLE', 'DEFAULT'],
  };
}

function withFilter(filters, filter) {
  const isPresent = filters.some((other) => JSON.stringify(other) === JSON.stringify(filter));
  return isPresent ? filters : [...filters, filter];
}
