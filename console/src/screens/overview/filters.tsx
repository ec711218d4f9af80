import { Popover } from '@base-ui/react/popover';
import { useState } from 'react';
import { useShortcuts } from '../../components/shortcuts.ts';
import { formatCount, PLATFORMS } from '../../formats.ts';
import { type OverviewSearch, useStats } from './use-stats.ts';

type Key = 'shortCode' | 'campaignId' | 'platform' | 'sandbox';
const NAMES: Readonly<Record<Key, string>> = {
  shortCode: 'Link',
  campaignId: 'Campaign',
  platform: 'Platform',
  sandbox: 'Data',
};
const KEYS = ['shortCode', 'campaignId', 'platform', 'sandbox'] as const;

interface Suggestion {
  readonly key: Key;
  readonly value: string;
  readonly text: string;
  readonly clicks: number | null;
}

export function FilterTags({
  search,
  onRemove,
}: {
  search: OverviewSearch;
  onRemove: (change: OverviewSearch) => void;
}) {
  return KEYS.filter((key) => search[key] !== undefined).map((key) => (
    <button
      key={key}
      type="button"
      className="tag min-h-7 hover:bg-hover"
      aria-label={`Remove the filter ${NAMES[key]}: ${textOf(key, search[key])}`}
      onClick={() => onRemove({ [key]: undefined })}
    >
      {NAMES[key]}: {textOf(key, search[key])} <span aria-hidden="true">×</span>
    </button>
  ));
}

function textOf(key: Key, value = ''): string {
  if (key === 'sandbox') return 'sandbox';
  if (key === 'shortCode') return `/${value}`;
  return key === 'platform' && (value === 'IOS' || value === 'ANDROID') ? PLATFORMS[value] : value;
}

export function FilterPicker({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (change: OverviewSearch) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ f: () => setOpen(true) });
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="btn btn-quiet">
        + Filter <kbd>F</kbd>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-20">
          <Popover.Popup className="menu w-[320px]" aria-label="Filter">
            <Suggestions
              search={search}
              onPick={({ key, value }) => {
                onPick({ [key]: value });
                setOpen(false);
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Suggestions({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (suggestion: Suggestion) => void;
}) {
  const [text, setText] = useState('');
  const links = useStats(search, { groupBy: 'link', limit: 100 });
  const campaigns = useStats(search, { groupBy: 'campaign', limit: 100 });
  const groups = [
    ['shortCode', links.data?.groups],
    ['campaignId', campaigns.data?.groups],
  ] as const;
  const all: Suggestion[] = [
    { key: 'platform', value: 'IOS', text: 'iOS', clicks: null },
    { key: 'platform', value: 'ANDROID', text: 'Android', clicks: null },
    { key: 'sandbox', value: 'true', text: 'sandbox', clicks: null },
    ...groups.flatMap(([key, rows = []]) =>
      rows.flatMap(({ key: value, clicks }) =>
        value === null ? [] : [{ key, value, text: textOf(key, value), clicks }],
      ),
    ),
  ];
  const found = all.filter((each) => each.text.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <input
        className="input"
        aria-label="Filter by"
        placeholder="Link, campaign, platform"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && found[0] !== undefined) onPick(found[0]);
        }}
      />
      <div className="max-h-[50vh] overflow-y-auto pt-1">
        {found.length === 0 && <p className="meta p-2">Nothing has “{text}” in its name.</p>}
        {KEYS.map((key) => (
          <Group
            key={key}
            name={NAMES[key]}
            found={found.filter((each) => each.key === key)}
            onPick={onPick}
          />
        ))}
      </div>
    </>
  );
}

function Group({
  name,
  found,
  onPick,
}: {
  name: string;
  found: readonly Suggestion[];
  onPick: (suggestion: Suggestion) => void;
}) {
  if (found.length === 0) return null;
  return (
    <section aria-label={name}>
      <p className="meta px-2 pt-1.5">{name}</p>
      {found.map((each) => (
        <button
          key={each.value}
          type="button"
          className="menu-item w-full text-left hover:bg-accent-soft"
          onClick={() => onPick(each)}
        >
          <span className="min-w-0 truncate">{each.text}</span>
          {each.clicks !== null && <span className="meta">{formatCount(each.clicks)}</span>}
        </button>
      ))}
    </section>
  );
}
