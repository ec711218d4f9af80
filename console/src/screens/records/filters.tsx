/** What narrows a list of records down: the button for more, and a tag for each that is on. */
import { FilterButton } from '../../components/filter-button.tsx';
import { late } from '../../components/late.ts';
import { Tag } from '../../components/tag.tsx';
import { FILTER_NAMES, NAMED, valueText } from './filter-names.ts';
import { isList, type Kind, type RecordSearch, takes, valuesOf } from './record-search.ts';

interface FilterProps {
  readonly kind: Kind;
  readonly search: RecordSearch;
  readonly onChange: (change: RecordSearch) => void;
}

const code = late(() => import('./filter-popup.tsx'));

export function FilterPicker(props: FilterProps) {
  return (
    <FilterButton code={code} popup={({ FilterPopup }, frame) => <FilterPopup frame={frame} {...props} />} />
  );
}

/** The values of a filter that may be repeated have one tag each. */
export function FilterTags({ kind, search, onChange }: FilterProps) {
  return NAMED.filter((name) => takes(kind, name)).flatMap((name) => {
    const value = search[name];
    if (value === undefined) return [];
    const values = isList(name) ? valuesOf(value) : [String(value)];
    return values.map((each) => (
      <Tag
        key={`${name} ${each}`}
        text={`${FILTER_NAMES[name]}: ${valueText(name, each)}`}
        onRemove={() => {
          const left = values.filter((other) => other !== each);
          onChange({ [name]: left.length === 0 ? undefined : left });
        }}
      />
    ));
  });
}
