export {
  baseLanguage,
  type DeviceReport,
  type PageReport,
  type Platform,
  type Screen,
  type Signals,
  signalsOfClick,
  signalsOfDevice,
} from './signals.ts';
export { readPlatform, readUserAgent } from './user-agent.ts';
