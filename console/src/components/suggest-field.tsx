/** A labelled text field that suggests values: arrows move, Enter picks, and any other text may be typed. */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { type KeyboardEvent, useId, useState } from 'react';
import { FieldFrame } from './field.tsx';
import { useFieldError } from './form.tsx';

const MOST = 50;

export function SuggestField({
  label,
  name,
  value,
  suggestions,
  onChange,
  help,
  placeholder,
  maxLength = 255,
  required = false,
  isOff = false,
  onPick = onChange,
  onKeyDown,
}: {
  label: string;
  name?: string;
  value: string;
  suggestions: readonly string[];
  onChange: (text: string) => void;
  help?: string;
  placeholder?: string;
  maxLength?: number;
  required?: boolean;
  isOff?: boolean;
  /** A suggestion; by default it becomes the text. */
  onPick?: (text: string) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
}) {
  const id = useId();
  const error = useFieldError(name);
  const [isOpen, setOpen] = useState(false);
  const typed = value.toLowerCase();
  const fitting = suggestions.filter((each) => each !== value && each.toLowerCase().includes(typed));
  const isShown = isOpen && fitting.length > 0;
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      {/* Inline, since a popup hides the rest of the page, with the field's label, from screen readers. */}
      <Autocomplete.Root
        inline
        open={isShown}
        items={fitting}
        filter={null}
        mode="none"
        limit={MOST}
        value={value}
        disabled={isOff}
        onValueChange={(text) => {
          setOpen(true);
          onChange(text);
        }}
      >
        <div className="relative">
          <Autocomplete.Input
            id={id}
            name={name}
            className="input"
            placeholder={placeholder}
            maxLength={maxLength}
            required={required}
            aria-invalid={error !== null || undefined}
            aria-describedby={`${id}-more`}
            // Base UI takes an inline list for one that is always open.
            aria-expanded={isShown}
            aria-autocomplete="list"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            onClick={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={(event) => {
              onKeyDown?.(event);
              if (event.key === 'ArrowDown' || event.key === 'ArrowUp') setOpen(true);
              if (event.key !== 'Escape') return;
              setOpen(false);
              // The dialog around it stays.
              if (isShown) event.stopPropagation();
              // It would clear the field.
              event.preventBaseUIHandler();
            }}
          />
          {isShown && (
            <Autocomplete.List
              className="menu absolute inset-x-0 top-full z-20 mt-1 max-h-60 overflow-y-auto"
              aria-label={`Used before: ${label}`}
              // Else the field loses its focus, and with it the list, before the click.
              onMouseDown={(event) => event.preventDefault()}
            >
              {(each: string) => (
                <Autocomplete.Item
                  key={each}
                  value={each}
                  className="menu-item [overflow-wrap:anywhere]"
                  onClick={() => {
                    onPick(each);
                    setOpen(false);
                  }}
                >
                  {each}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          )}
        </div>
      </Autocomplete.Root>
    </FieldFrame>
  );
}
