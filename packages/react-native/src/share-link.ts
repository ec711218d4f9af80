import type { CreatedLink, NewLink, Throughline } from '@throughline/core';
import { Platform, Share } from 'react-native';

export interface ShareLinkOptions {
  /** Stands before the link, such as `Join me:`. */
  readonly message?: string | undefined;
  /** The subject of a mail, and the title of Android's dialog. */
  readonly title?: string | undefined;
  /** Of an iPad: the node of the component that the sheet points to. */
  readonly anchor?: number | undefined;
  /** For making the link. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

export interface SharedLink extends CreatedLink {
  /** False if the person closed the sheet. Android does not tell: true. */
  readonly shared: boolean;
  /** The app that the person chose, such as `com.apple.UIKit.activity.Message`; null where the system does not tell. */
  readonly activityType: string | null;
}

/**
 * Makes a short link and opens the system's share sheet with it.
 * @throws LinkError if there is no link; then no sheet opens. Error of the system if it opens no sheet.
 */
export async function shareLink(
  client: Pick<Throughline, 'createLink'>,
  link: NewLink,
  { message, title, anchor, timeoutMs }: ShareLinkOptions = {},
): Promise<SharedLink> {
  const created = await client.createLink(link, { timeoutMs });
  const { shortUrl } = created;
  const text = message === undefined || message === '' ? shortUrl : `${message} ${shortUrl}`;
  // Android knows no URL beside the text. Elsewhere apps that take a URL alone get it.
  const content =
    Platform.OS === 'android' ? { message: text } : { url: shortUrl, ...(message && { message }) };
  const named = title === undefined ? {} : { dialogTitle: title, subject: title };
  const result = await open(
    { ...content, ...(title !== undefined && { title }) },
    { ...named, ...(anchor !== undefined && { anchor }) },
  );
  return { ...created, ...result };
}

async function open(
  content: Parameters<typeof Share.share>[0],
  options: Parameters<typeof Share.share>[1],
): Promise<Pick<SharedLink, 'shared' | 'activityType'>> {
  try {
    // React Native for web answers nothing.
    const action = await Share.share(content, options);
    return { shared: action?.action !== 'dismissedAction', activityType: action?.activityType ?? null };
  } catch (error) {
    // Browsers say so if the person closed the sheet.
    if ((error as Partial<Error>).name === 'AbortError') return { shared: false, activityType: null };
    throw error;
  }
}
