import { FilterButton } from '../../components/filter-button.tsx';
import { late } from '../../components/late.ts';
import { Tag } from '../../components/tag.tsx';
import { DIMENSION_NAMES, dimensionOf, rowName } from './dimensions.ts';
import { FILTERS, type Filter, type Filters, type OverviewSearch } from './overview-search.ts';

export function FilterTags({ search, onRemove }: { search: Filters; onRemove: (change: Filters) => void }) {
  return FILTERS.filter((name) => search[name] !== undefined).map((name) => (
    <Tag
      key={name}
      text={`${filterName(name)}: ${textOf(name, search[name])}`}
      onRemove={() => onRemove({ [name]: undefined })}
    />
  ));
}

/** The list that has the filter's values; none has live and sandbox data. */
function dimensionBy(filter: Filter) {
  return DIMENSION_NAMES.map(dimensionOf).find((each) => each.filter === filter);
}

export function filterName(name: Filter): string {
  return dimensionBy(name)?.one ?? 'Data';
}

export function textOf(name: Filter, value = ''): string {
  const dimension = dimensionBy(name);
  return dimension === undefined ? 'sandbox' : rowName(dimension, value === '' ? null : value);
}

const code = late(() => import('./filter-popup.tsx'));

export function FilterPicker(props: { search: OverviewSearch; onPick: (change: Filters) => void }) {
  return (
    <FilterButton code={code} popup={({ FilterPopup }, frame) => <FilterPopup frame={frame} {...props} />} />
  );
}
