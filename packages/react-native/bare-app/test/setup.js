const { configure } = require('@testing-library/react-native');

// The machine of a test may be busy.
configure({ asyncUtilTimeout: 20_000 });

jest.mock('@react-native-async-storage/async-storage', () => {
  const stored = new Map();
  return {
    __esModule: true,
    default: {
      getItem: async (key) => stored.get(key) ?? null,
      setItem: async (key, value) => void stored.set(key, value),
      removeItem: async (key) => void stored.delete(key),
      getAllKeys: async () => [...stored.keys()],
    },
  };
});
jest.mock('react-native-device-info', () => {
  const mock = require('react-native-device-info/jest/react-native-device-info-mock');
  return {
    __esModule: true,
    default: { ...(mock.default ?? mock), getDeviceId: () => 'iPhone15,2', getVersion: () => '4.2.0' },
  };
});
jest.mock('react-native-play-install-referrer', () => ({
  PlayInstallReferrer: {
    getInstallReferrerInfo: (done) =>
      done({ installReferrer: 'svc_click_id=play', installBeginTimestampSeconds: 1_700_000_060 }, null),
  },
}));
