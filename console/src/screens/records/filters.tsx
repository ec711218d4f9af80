/** What narrows a list of records down: the button for more, and a tag for each that is on. */
import { useState } from 'react';
import { late } from '../../components/late.ts';
import { LatePopup } from '../../components/late-popup.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Tag } from '../../components/tag.tsx';
import { FILTER_NAMES, NAMED, valueText } from './filter-names.ts';
import { isList, type Kind, type RecordSearch, takes, valuesOf } from './record-search.ts';

interface FilterProps {
  readonly kind: Kind;
  readonly search: RecordSearch;
  readonly onChange: (change: RecordSearch) => void;
}

const code = late(() => import('./filter-popup.tsx'));

export function FilterPicker({ kind, search, onChange }: FilterProps) {
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
          kind={kind}
          search={search}
          isOpen={state === 'open'}
          onOpen={(isOpen) => setState(isOpen ? 'open' : 'closed')}
          onPick={onChange}
        />
      )}
    />
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
