/** What a developer pastes into the app, filled in with the service and the key. */

export const KINDS = [
  ['react-native', 'React Native'],
  ['expo', 'Expo'],
  ['curl', 'curl'],
] as const;
export type Kind = (typeof KINDS)[number][0];

interface Filling {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Of short links. */
  readonly host: string;
  /** The key, or words in its place. */
  readonly key: string;
}

/** Until the packages are on npm. With npm alone, since `expo install` knows no files. */
const PACK = [
  'In a copy of Throughline: the SDK is not on npm yet, so it is packed here',
  `npm ci
npm pack -w packages/core -w packages/react-native --pack-destination /path/to/the/app`,
] as const;
const INSTALL = 'npm install ./throughline-core-*.tgz ./throughline-react-native-*.tgz';

/** Pieces in the order of their pasting, each with the place where it belongs. */
export function snippetsOf(
  kind: Kind,
  { baseUrl, host, key }: Filling,
): (readonly [place: string, text: string])[] {
  const start = [
    'Where the app starts',
    `import { ThroughlineProvider } from '@throughline/react-native';

const config = {
  baseUrl: '${baseUrl}',
  key: '${key}',
};

export default () => (
  <ThroughlineProvider config={config}>
    <App />
  </ThroughlineProvider>
);`,
  ] as const;
  switch (kind) {
    case 'react-native':
      return [
        PACK,
        [
          'In the folder of the app',
          `${INSTALL}
npm install @react-native-async-storage/async-storage \\
  react-native-device-info react-native-play-install-referrer`,
        ],
        start,
      ];
    case 'expo':
      return [
        PACK,
        [
          'In the folder of the app',
          `${INSTALL}
npx expo install @react-native-async-storage/async-storage \\
  expo-application expo-device expo-localization expo-clipboard react-native-play-install-referrer`,
        ],
        ['In app.json', `"plugins": [["@throughline/react-native", { "hosts": ["${host}"] }]]`],
        start,
      ];
    case 'curl':
      return [
        [
          'In a terminal, as an app would',
          `curl ${baseUrl}/v1/sdk/install \\
  -H 'X-Api-Key: ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{ "fingerprint": { "platform": "ios", "osVersion": "18.5" } }'`,
        ],
      ];
  }
}
