const common = {
  preset: '@react-native/jest-preset',
  setupFilesAfterEnv: ['./test/setup.js'],
  // Without `@throughline`: its packages must run in an app's tests as they are.
  transformIgnorePatterns: [
    'node_modules/(?!(@react-native|react-native|@react-native-async-storage|@react-navigation|standard-navigation)/)',
  ],
};

module.exports = {
  testTimeout: 60_000,
  projects: ['ios', 'android'].map((platform) => ({
    ...common,
    displayName: platform,
    haste: { defaultPlatform: platform, platforms: ['android', 'ios', 'native'] },
  })),
};
