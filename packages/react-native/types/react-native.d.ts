/** What the sources use of React Native, since the root installs none. `bare-app` checks them with its real types. */
declare module 'react-native' {
  interface Subscription {
    remove(): void;
  }
  export const Platform: {
    readonly OS: string;
    readonly Version: string | number;
    readonly constants: object;
  };
  export const PixelRatio: { get(): number };
  export const Dimensions: { get(name: 'screen'): { readonly width: number; readonly height: number } };
  export const AppState: {
    addEventListener(type: 'change', listener: (state: string) => void): Subscription;
  };
  export const Linking: {
    getInitialURL(): Promise<string | null>;
    addEventListener(type: 'url', listener: (event: { readonly url: string }) => void): Subscription;
  };
  export const Share: {
    share(
      content: { title?: string; message?: string; url: string } | { title?: string; message: string },
      options?: { dialogTitle?: string; subject?: string; anchor?: number },
    ): Promise<{ readonly action: string; readonly activityType?: string | null | undefined } | undefined>;
  };
  export interface TurboModule {
    getConstants?(): object;
  }
  export const TurboModuleRegistry: { get<T extends TurboModule>(name: string): T | null };
  export type ViewStyle = object;
  export type StyleProp<T> = T | readonly StyleProp<T>[] | null | undefined;
}
