import { useState } from 'react';
import { late } from '../../components/late.ts';
import { LatePopup } from '../../components/late-popup.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { PLATFORMS } from '../../formats.ts';
import type { OverviewSearch } from './use-stats.ts';

export type Key = 'shortCode' | 'campaignId' | 'platform' | 'sandbox';
export const NAMES: Readonly<Record<Key, string>> = {
  shortCode: 'Link',
  campaignId: 'Campaign',
  platform: 'Platform',
  sandbox: 'Data',
};
export const KEYS = ['shortCode', 'campaignId', 'platform', 'sandbox'] as const;

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

export function textOf(key: Key, value = ''): string {
  if (key === 'sandbox') return 'sandbox';
  if (key === 'shortCode') return `/${value}`;
  return key === 'platform' && (value === 'IOS' || value === 'ANDROID') ? PLATFORMS[value] : value;
}

const code = late(() => import('./filter-popup.tsx'));

export function FilterPicker({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (change: OverviewSearch) => void;
}) {
  const [state, setState] = useState<'new' | 'open' | 'closed'>('new');
  const open = () => setState('open');
  useShortcuts({ f: open });
  const common = {
    className: 'btn btn-quiet',
    trigger: (
      <>
        + Filter <kbd>F</kbd>
      </>
    ),
  };
  return (
    <LatePopup
      {...common}
      kind="dialog"
      code={code}
      wasOpened={state !== 'new'}
      onOpen={open}
      popup={({ FilterPopup }) => (
        <FilterPopup
          {...common}
          isOpen={state === 'open'}
          onOpen={(isOpen) => setState(isOpen ? 'open' : 'closed')}
          search={search}
          onPick={onPick}
        />
      )}
    />
  );
}
