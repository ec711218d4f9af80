/** A row is refused for lack of space; the message gives the reason and is public. */
export class JournalFull extends Error {
  override name = 'JournalFull';
}

/** A row is refused because its app has used its share of the space; rows of other apps are not. */
export class ShareUsed extends JournalFull {
  override name = 'ShareUsed';
}

/**
 * An app may use this many times the space that is left: alone it fills eight ninths of the journal, and always leaves some
 * to others.
 */
const SHARE_PER_FREE_BYTE = 8;

/** Why a row is refused; null if it is not. @param space `appBytes` is what its app uses. */
export function refusalOf({
  freeBytes,
  appBytes,
  isReserveReached,
}: {
  freeBytes: number;
  appBytes: number;
  isReserveReached: boolean;
}): JournalFull | null {
  if (freeBytes <= 0) return new JournalFull('The click journal is full.');
  if (isReserveReached)
    return new JournalFull(
      'Free disk space is at the reserve that clicks do not use. Free space on the disk.',
    );
  return appBytes >= freeBytes * SHARE_PER_FREE_BYTE
    ? new ShareUsed('An app has used its share of the click journal.')
    : null;
}
