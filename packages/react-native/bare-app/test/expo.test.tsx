import { testDelivery } from './delivery';

// The link that starts the app is in the launch options and announced as an event too (expo#47628, expo#50235).
testDelivery('Expo 58', { repeatsColdLink: true });
