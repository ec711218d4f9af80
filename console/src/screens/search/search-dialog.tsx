import { search } from '@generated/sdk.gen.ts';
import type { SearchResult } from '@generated/types.gen.ts';
import { useNavigate } from '@tanstack/react-router';
import { use, useEffect, useEffectEvent, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Finder, type Found } from '../../components/finder.tsx';
import { Mark } from '../../components/mark.tsx';
import { formatMoment } from '../../formats.ts';
import { placeOf } from './place.ts';
import { wantedBy } from './search-text.ts';

const SEARCH_AFTER_MS = 200;

interface FoundResult extends Found {
  readonly result: SearchResult;
}

interface SearchProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

export function SearchDialog({ isOpen, ...props }: SearchProps & { isOpen: boolean }) {
  return (
    <Dialog
      title="Search"
      isOpen={isOpen}
      onClose={props.onClose}
      // Also after a touch, which by default opens no keyboard.
      initialFocus={() => document.querySelector<HTMLElement>('[role=dialog] input')}
      finalFocus={visibleButton}
    >
      <SearchField {...props} />
    </Dialog>
  );
}

/** That of the side bar or that of the bar of phones. */
function visibleButton(): HTMLElement | null {
  const buttons = document.querySelectorAll<HTMLElement>('[aria-keyshortcuts="/"]');
  return [...buttons].find((button) => button.checkVisibility()) ?? null;
}

function SearchField({ text, onText, onClose }: SearchProps) {
  const { app } = use(AppContext);
  const navigate = useNavigate();
  const [asked, setAsked] = useState(text);
  // Enter before the answer goes there once the answer has one result.
  const [isWaiting, setWaiting] = useState(false);
  const { results, error } = useResults(asked);
  const isCurrent = asked === text && results !== undefined;
  const found = isCurrent ? results.map(toFound) : [];
  const go = ({ result }: FoundResult) => {
    onClose();
    void navigate(placeOf(app.id, result));
  };
  useEffect(() => {
    if (text === asked) return;
    const timer = setTimeout(() => setAsked(text), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, asked]);
  const answer = useEffectEvent(() => {
    const [only, ...others] = found;
    setWaiting(false);
    if (only !== undefined && others.length === 0) go(only);
  });
  useEffect(() => {
    if (isWaiting && isCurrent) answer();
  }, [isWaiting, isCurrent]);
  return (
    <Finder
      label="Search"
      placeholder="ID, user, short code, campaign or short link"
      maxLength={2_048}
      text={text}
      found={found}
      status={
        error ?? (
          <Status text={text} isCurrent={isCurrent} isNothing={found.length === 0} appName={app.name} />
        )
      }
      onText={(next) => {
        setWaiting(false);
        onText(next);
      }}
      onPick={go}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || isCurrent) return;
        setAsked(text);
        setWaiting(true);
      }}
    />
  );
}

function useResults(text: string): { results: readonly SearchResult[] | undefined; error: string | null } {
  const wanted = wantedBy(text);
  const read = useRead(
    ['search', ...wanted],
    async (client, signal) => {
      const answers = await Promise.all(
        wanted.map((q) => search({ client, query: { q }, signal, throwOnError: true })),
      );
      const all = answers.flatMap(({ data }) => data.results);
      return { data: [...new Map(all.map((each) => [`${each.type} ${each.id}`, each])).values()] };
    },
    { enabled: wanted.length > 0 },
  );
  if (wanted.length === 0) return { results: [], error: null };
  return { results: read.isStale ? undefined : read.data, error: read.error?.message ?? null };
}

function Status({
  text,
  isCurrent,
  isNothing,
  appName,
}: {
  text: string;
  isCurrent: boolean;
  isNothing: boolean;
  appName: string;
}) {
  if (text.trim() === '')
    return 'Takes the ID of an install, click, open, event or message, whole or its first 8 characters; a user ID, a short code, part of a link’s title, a tag, a campaign, or the address of a short link.';
  if (!isCurrent) return 'Searching …';
  if (!isNothing) return null;
  return (
    <>
      Nothing in {appName} is called <b className="break-all">{text.trim()}</b>. Searched were the IDs of
      installs, clicks, opens, events and messages (whole, or at least their first 8 characters), event IDs
      made by the app, whole user IDs, short codes, paths and titles of links, and the beginnings of tags and
      campaigns.
    </>
  );
}

const NAMES: Readonly<Record<SearchResult['type'], string>> = {
  install: 'Install',
  click: 'Click',
  open: 'Open',
  event: 'Event',
  user: 'User',
  message: 'Message',
  link: 'Link',
  campaign: 'Campaign',
  tag: 'Tag',
};

function toFound(result: SearchResult): FoundResult {
  const { type, id, label, at } = result;
  const gone = result.deletedAt !== undefined ? ', deleted' : result.erasedAt !== undefined ? ', erased' : '';
  const name = NAMES[type] + gone;
  return {
    key: `${type} ${id}`,
    result,
    text: (
      <>
        {(type === 'install' || type === 'click' || type === 'open' || type === 'event') && (
          <Mark kind={type} />
        )}
        <span className="min-w-0 truncate">{label}</span>
      </>
    ),
    more: (
      <>
        {name}
        {at !== null && <span className="max-phone:hidden">, {formatMoment(at, { seconds: false })}</span>}
      </>
    ),
  };
}
