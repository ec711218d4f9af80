import { useState } from 'react';
import { late } from '../../components/late.ts';
import { LatePopup } from '../../components/late-popup.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { DIMENSION_NAMES, dimensionOf, rowName } from './dimensions.ts';
import { FILTERS, type Filter, type Filters, type OverviewSearch } from './overview-search.ts';

export const NAMES: Readonly<Record<Filter, string>> = {
  shortCode: 'Link',
  campaignId: 'Campaign',
  platform: 'Platform',
  sandbox: 'Data',
  country: 'Country',
  referrer: 'Referrer',
  utmSource: 'Source',
  utmMedium: 'Medium',
  utmCampaign: 'UTM campaign',
  method: 'Matched by',
  platformVersion: 'OS version',
  appVersion: 'App version',
};

export function FilterTags({ search, onRemove }: { search: Filters; onRemove: (change: Filters) => void }) {
  return FILTERS.filter((name) => search[name] !== undefined).map((name) => (
    <button
      key={name}
      type="button"
      className="tag min-h-7 max-w-full hover:bg-hover"
      aria-label={`Remove the filter ${NAMES[name]}: ${textOf(name, search[name])}`}
      onClick={() => onRemove({ [name]: undefined })}
    >
      <span className="min-w-0 truncate">
        {NAMES[name]}: {textOf(name, search[name])}
      </span>{' '}
      <span aria-hidden="true">×</span>
    </button>
  ));
}

export function textOf(name: Filter, value = ''): string {
  if (name === 'sandbox') return 'sandbox';
  const dimension = DIMENSION_NAMES.map(dimensionOf).find(({ filter }) => filter === name);
  return dimension === undefined ? value : rowName(dimension, value === '' ? null : value);
}

const code = late(() => import('./filter-popup.tsx'));

export function FilterPicker({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (change: Filters) => void;
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
