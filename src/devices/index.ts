export { loadAndroidNames } from './android-names.ts';
export { nameBrowser } from './browser-name.ts';
export { hiddenDevice } from './hidden-device.ts';
export { isMakersCode } from './model-name.ts';
export { preferredLanguage } from './preferred-language.ts';
export { modelFields, presentModel } from './schemas.ts';
export {
  baseLanguage,
  type DeviceReport,
  type PageReport,
  type Platform,
  type Screen,
  type Signals,
  signalsOfClick,
  signalsOfDevice,
  versionOfBrowser,
} from './signals.ts';
export { readPlatform, readUserAgent, withoutModel } from './user-agent.ts';
