/** A text field above a list of what it finds: arrows move, Enter picks. */
import { Autocomplete } from '@base-ui/react/autocomplete';
import type { KeyboardEvent, ReactNode } from 'react';

export interface Found {
  readonly key: string;
  readonly text: ReactNode;
  /** Behind the text, in grey. */
  readonly more?: ReactNode;
}

export function Finder<T extends Found>({
  label,
  placeholder,
  text,
  maxLength = 255,
  found,
  status,
  onText,
  onPick,
  onKeyDown,
}: {
  label: string;
  placeholder: string;
  text: string;
  maxLength?: number;
  found: readonly T[];
  /** Said politely: what is searched, or that nothing is found. */
  status: ReactNode;
  onText: (text: string) => void;
  onPick: (found: T) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}) {
  return (
    <Autocomplete.Root
      inline
      open
      items={found}
      filter={null}
      mode="none"
      autoHighlight="always"
      keepHighlight
      value={text}
      itemToStringValue={() => text}
      onValueChange={onText}
    >
      <Autocomplete.Input
        autoFocus
        type="search"
        className="input"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="search"
        onKeyDown={onKeyDown}
      />
      <Autocomplete.Status className="meta empty:hidden">{status}</Autocomplete.Status>
      <Autocomplete.List className="max-h-[50vh] overflow-y-auto empty:hidden" aria-label="Found">
        {(each: T) => (
          <Autocomplete.Item key={each.key} value={each} className="menu-item" onClick={() => onPick(each)}>
            <span className="flex min-w-0 items-center gap-2">{each.text}</span>
            {each.more !== undefined && <span className="meta flex-none">{each.more}</span>}
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
