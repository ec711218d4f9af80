/**
 * Expo config plugin: `["@throughline/react-native", { "hosts": ["go.example.com"] }]` makes links of these hosts open the
 * app. A second run changes nothing. Queries of the Play Store need no entry, since Android shows an app its installer.
 *
 * @param {{ ios?: object, android?: object }} config of the app
 * @param {{ hosts: string[], wholeHost?: boolean, postbackEndpoint?: string, reengagementPostbacks?: boolean }} options
 *   `wholeHost`: Android opens the app for every path of the hosts, not only for short links (`/l/`); iOS follows the
 *   service's `apple-app-site-association`. `postbackEndpoint`: where iPhones send copies of the postbacks of SKAdNetwork
 *   and AdAttributionKit, such as `https://example.com`; with `reengagementPostbacks` also those of re-engagements.
 * @throws {Error} without hosts
 */
module.exports = function withThroughline(config, { hosts = [], wholeHost = false, ...postbacks } = {}) {
  const wrong = hosts.find((host) => !/^[a-z\d.-]+$/i.test(host));
  if (hosts.length === 0 || wrong !== undefined)
    throw new Error(
      `@throughline/react-native: ${wrong === undefined ? 'hosts is missing' : `“${wrong}” is no host`}. Name the hosts of your short links in the app config: ["@throughline/react-native", { "hosts": ["go.example.com"] }].`,
    );
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

function withDomains(domains, hosts) {
  return [...new Set([...domains, ...hosts.map((host) => `applinks:${host}`)])];
}

/** Apple takes the registrable domain only, and its own paths. */
function withPostbacks(infoPlist, { postbackEndpoint, reengagementPostbacks = false }) {
  if (postbackEndpoint === undefined) return infoPlist === undefined ? {} : { infoPlist };
  if (!/^https:\/\/[a-z\d-]+(\.[a-z\d-]+)+$/i.test(postbackEndpoint))
    throw new Error(
      `@throughline/react-native: postbackEndpoint “${postbackEndpoint}” is no address of a host. Write https:// and the domain, such as https://example.com, without a path.`,
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
