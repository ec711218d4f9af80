/** Several countries or languages, chosen by their names. */
import { useState } from 'react';
import { SuggestField } from '../../../components/suggest-field.tsx';
import { formatCountry } from '../../../formats.ts';
import { allCountries, allLanguages, codeOf } from './places.ts';
import { formatLanguage } from './words.ts';

const MOST = 20;
const KINDS = {
  country: { label: 'Countries', one: 'country', all: allCountries, nameOf: formatCountry },
  language: { label: 'Languages', one: 'language', all: allLanguages, nameOf: formatLanguage },
} as const;

export function CodesField({
  kind,
  name,
  codes,
  help,
  onChange,
}: {
  kind: keyof typeof KINDS;
  name: string;
  codes: readonly string[];
  help: string;
  onChange: (codes: readonly string[]) => void;
}) {
  const [text, setText] = useState('');
  const { label, one, all, nameOf } = KINDS[kind];
  const add = (typed: string) => {
    const code = codeOf(kind, typed);
    if (code === null) return setText(typed);
    setText('');
    if (!codes.includes(code) && codes.length < MOST) onChange([...codes, code]);
  };
  const isUnknown = text.trim() !== '' && codeOf(kind, text) === null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: takes what is typed when its field is left
    <div className="grid min-w-0 gap-1.5" onBlur={() => add(text)}>
      <SuggestField
        label={label}
        name={name}
        value={text}
        suggestions={all().flatMap(([code, each]) => (codes.includes(code) ? [] : [each]))}
        onChange={setText}
        onPick={add}
        onKeyDown={(event) => {
          const isPicking = event.currentTarget.getAttribute('aria-activedescendant') !== null;
          if ((event.key === 'Enter' || event.key === ',') && !isPicking && text.trim() !== '') {
            // It would send the form.
            event.preventDefault();
            add(text);
          }
          if (event.key === 'Backspace' && text === '') onChange(codes.slice(0, -1));
        }}
        help={isUnknown ? `Choose a ${one} from the list.` : codes.length < MOST ? help : `At most ${MOST}.`}
      />
      {codes.length > 0 && (
        <ul aria-label={`${label}: chosen`} className="flex min-w-0 flex-wrap gap-1.5">
          {codes.map((code) => (
            <li key={code} className="min-w-0">
              <button
                type="button"
                className="tag min-h-7 max-w-full hover:bg-hover max-phone:min-h-(--control)"
                aria-label={`Remove ${nameOf(code)}`}
                onClick={() => onChange(codes.filter((each) => each !== code))}
              >
                <bdi className="min-w-0 truncate">{nameOf(code)}</bdi> <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
