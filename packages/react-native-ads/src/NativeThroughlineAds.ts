/**
 * The native module, from which React Native's codegen makes the interfaces of both native halves. Methods of the other
 * system resolve to null.
 */
import { type TurboModule, TurboModuleRegistry } from 'react-native';

export interface MetaReferrer {
  readonly installReferrer: string;
  /** False if the ad was only seen. */
  readonly isClickThrough: boolean | null;
  readonly actualTimestampSeconds: number | null;
}

export interface Spec extends TurboModule {
  /** Differs in each process of the app, and stays over a reload of its JavaScript. */
  launchId(): string;
  /** Of Apple's AdServices. Rejects in a simulator and without a network. */
  readAppleAdsToken(): Promise<string | null>;
  /**
   * For SKAdNetwork and AdAttributionKit.
   * @param fine from 0 to 63. @param coarse `low`, `medium`, `high` or null. @param lock whether the postback is final.
   */
  setConversionValue(fine: number, coarse: string | null, lock: boolean): Promise<void>;
  /** The newest that an app of Meta on Android knows; null if none does. @param appId of Meta. */
  readMetaReferrer(appId: string): Promise<MetaReferrer | null>;
}

/** Null in an app that was built without the native half, such as Expo Go. */
export default TurboModuleRegistry.get<Spec>('ThroughlineAds');
