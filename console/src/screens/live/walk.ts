import type { LiveRecord } from './live-record.ts';

type Of<Type extends LiveRecord['type']> = Extract<LiveRecord, { readonly type: Type }>;

/** The records of the test phone since the page was opened. */
export interface Walk {
  readonly click: Of<'click'> | null;
  readonly install: Of<'install'> | null;
  readonly open: Of<'open'> | null;
  readonly event: Of<'event'> | null;
  readonly joined: ReadonlySet<LiveRecord>;
}

/** The parameter of the address by which clicks of the test phone differ from others of the link. */
export const MARKER = 'phone';

/**
 * The phone is that of the marked clicks. Without one it is that of the newest install, open or event, which may have
 * opened the app by the link itself; before them, of the newest click.
 * @param records of one link, newest first.
 */
export function walkOf(records: readonly LiveRecord[], marker: string): Walk {
  const clicks = records.filter((record) => record.type === 'click');
  const marked = clicks.filter(({ query }) => query[MARKER] === marker);
  const markedIds = new Set<string | null>(marked.map(({ id }) => id));
  const newest = records.find(
    (record) =>
      record.type !== 'click' &&
      (marked.length === 0 || (record.type !== 'event' && markedIds.has(record.clickId))),
  );
  const installId = newest === undefined ? null : installIdOf(newest);
  const ofPhone = records.filter(
    (record) => record === newest || (installId !== null && installIdOf(record) === installId),
  );
  const install = firstOf(ofPhone, 'install');
  const open = firstOf(ofPhone, 'open');
  const event = firstOf(ofPhone, 'event');
  const clickId = install?.clickId ?? open?.clickId ?? null;
  const click =
    newest === undefined
      ? (marked[0] ?? clicks[0] ?? null)
      : (clicks.find(({ id }) => id === clickId) ?? null);
  const joined = [click, install, open, event].filter((record) => record !== null);
  return { click, install, open, event, joined: new Set(joined) };
}

function installIdOf(record: LiveRecord): string | null {
  if (record.type === 'click') return null;
  return record.type === 'install' ? record.id : record.installId;
}

/** The newest of a kind. */
function firstOf<Type extends LiveRecord['type']>(
  records: readonly LiveRecord[],
  type: Type,
): Of<Type> | null {
  return records.find((record): record is Of<Type> => record.type === type) ?? null;
}
