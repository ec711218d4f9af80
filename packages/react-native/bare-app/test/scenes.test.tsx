import { testDelivery } from './delivery';

// With scenes: `startReactNative(…, connectionOptions:)`, then the scene calls of `RCTLinkingManager` (react-native#57700).
testDelivery('React Native 0.88', { repeatsColdLink: false });
