export type * from '@throughline/core';
export { LinkError, StandardEvent } from '@throughline/core';
export { type Config, createThroughline } from './client.ts';
export { hrefOf } from './href.ts';
export { createNativeIntent } from './native-intent.ts';
export { createLinking } from './navigation.ts';
export { PasteLinkButton, type PasteLinkButtonProps } from './paste-link-button.ts';
export {
  ThroughlineProvider,
  type ThroughlineProviderProps,
  useDeepLink,
  useThroughline,
} from './provider.ts';
export { type SharedLink, type ShareLinkOptions, shareLink } from './share-link.ts';
