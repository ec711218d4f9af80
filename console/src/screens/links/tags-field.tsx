/** A field for several tags: Enter or a comma adds what is typed, Backspace takes the last one back. */
import { type KeyboardEvent, useState } from 'react';
import { SuggestField } from '../../components/suggest-field.tsx';
import { isSameTag, withTag } from './tags.ts';

const MOST = 20;

export function TagsField({
  label,
  name,
  first = [],
  suggestions,
  help = 'Enter or a comma adds one.',
}: {
  label: string;
  /** Of the tags in the form, and of what is typed and not added yet. */
  name: string;
  first?: readonly string[];
  suggestions: readonly string[];
  help?: string;
}) {
  const [tags, setTags] = useState(first);
  const [text, setText] = useState('');
  const add = (tag: string) => {
    setTags(withTag(tags, tag));
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const isPicking = event.currentTarget.getAttribute('aria-activedescendant') !== null;
    if (event.key === 'Enter' && !isPicking && text.trim() !== '') {
      // It would send the form.
      event.preventDefault();
      add(text);
    }
    if (event.key === 'Backspace' && text === '') setTags(tags.slice(0, -1));
  };
  return (
    <fieldset className="grid min-w-0 gap-1.5">
      <legend className="sr-only">{label}</legend>
      {tags.map((tag) => (
        <input key={tag} type="hidden" name={name} value={tag} />
      ))}
      <SuggestField
        label={label}
        name={name}
        maxLength={64}
        value={text}
        suggestions={suggestions.filter((each) => !tags.some((tag) => isSameTag(tag, each)))}
        onChange={(typed) => {
          const parts = typed.split(',');
          setTags(parts.slice(0, -1).reduce(withTag, tags));
          setText(parts.at(-1) ?? '');
        }}
        onPick={add}
        onKeyDown={onKeyDown}
        help={tags.length < MOST ? help : `A link has at most ${MOST} tags.`}
      />
      {tags.length > 0 && (
        <ul aria-label={`${label}: chosen`} className="flex min-w-0 flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag} className="min-w-0">
              <button
                type="button"
                className="tag min-h-7 max-w-full hover:bg-hover max-phone:min-h-(--control)"
                aria-label={`Remove the tag ${tag}`}
                onClick={() => setTags(tags.filter((each) => each !== tag))}
              >
                <bdi className="min-w-0 truncate">{tag}</bdi> <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
