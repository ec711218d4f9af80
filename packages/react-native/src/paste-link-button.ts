import type { DeepLink } from '@throughline/core';
import { createElement, type ReactElement } from 'react';
import { Platform, type StyleProp, type ViewStyle } from 'react-native';
import { findExpoClipboard } from './modules.ts';
import { useThroughline } from './provider.ts';

export interface PasteLinkButtonProps {
  /** Receives the link behind the pasted text; null if the text holds none. */
  readonly onLink: (link: DeepLink | null) => void;
  readonly style?: StyleProp<ViewStyle>;
}

/**
 * The paste button of iOS 16, which reads the link that the landing page copied without a question to the person. Renders
 * nothing on other systems, and without expo-clipboard.
 */
export function PasteLinkButton({ onLink, style }: PasteLinkButtonProps): ReactElement | null {
  const client = useThroughline();
  const clipboard = Platform.OS === 'ios' ? findExpoClipboard() : null;
  if (!clipboard?.isPasteButtonAvailable) return null;
  return createElement(clipboard.ClipboardPasteButton, {
    acceptedContentTypes: ['plain-text', 'url'],
    onPress: ({ text }) => {
      void client.claim(text ?? '').then(onLink);
    },
    style,
  });
}
