/**
 * Expo config plugin: `["@throughline/react-native", { "hosts": ["go.example.com"] }]` makes links of these hosts open the
 * app. A second run changes nothing. Queries of the Play Store need no entry, since Android shows an app its installer.
 *
 * @param {{ ios?: object, android?: object }} config of the app
 * @param {{ hosts: string[], wholeHost?: boolean }} options `wholeHost`: Android opens the app for every path of the hosts,
 *   not only for short links (`/l/`); iOS follows the service's `apple-app-site-association`.
 * @throws {Error} without hosts
 */
module.exports = function withThroughline(config, { hosts = [], wholeHost = false } = {}) {
  const wrong = hosts.find((host) => !/^[a-z\d.-]+$/i.test(host));
  if (hosts.length === 0 || wrong !== undefined)
    throw new Error(
      `@throughline/react-native: ${wrong === undefined ? 'hosts is missing' : `“${wrong}” is no host`}. Name the hosts of your short links in the app config: ["@throughline/react-native", { "hosts": ["go.example.com"] }].`,
    );
  const { ios = {}, android = {} } = config;
  return {
    ...config,
    ios: { ...ios, associatedDomains: withDomains(ios.associatedDomains ?? [], hosts) },
    android: {
      ...android,
      intentFilters: withFilter(android.intentFilters ?? [], toFilter(hosts, wholeHost)),
    },
  };
};

function withDomains(domains, hosts) {
  return [...new Set([...domains, ...hosts.map((host) => `applinks:${host}`)])];
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
