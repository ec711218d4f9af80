import { Field } from '../../components/field.tsx';
import type { FormTexts } from './form-texts.ts';
import type { Meaning } from './take-apart.ts';
import { Understood } from './understood.tsx';

/** How the text of the field was understood. */
export interface Reading {
  readonly meaning: Exclude<Meaning, { kind: 'path' }>;
  /** Of the fields before an address was taken apart. */
  readonly before: FormTexts;
}

export function PathField({
  value,
  reading,
  onChange,
  onLeave,
  onUndo,
}: {
  value: string;
  reading: Reading | null;
  /** @param isPasted at once. */
  onChange: (text: string, isPasted: boolean) => void;
  onLeave: () => void;
  onUndo: (before: FormTexts) => void;
}) {
  const meaning = reading?.meaning;
  const error =
    meaning?.kind === 'wrong' ? meaning.text : meaning?.kind === 'spaces' ? 'No path has spaces.' : null;
  return (
    <div className="grid gap-2">
      <Field
        label="Path in the app"
        name="deepLinkPath"
        isMono
        required
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        value={value}
        error={error}
        onChange={({ target, nativeEvent }) =>
          onChange(
            target.value,
            'inputType' in nativeEvent && /^insertFrom(?:Paste|Drop)$/.test(String(nativeEvent.inputType)),
          )
        }
        onBlur={onLeave}
        help="The app opens this screen, also after an install. A web address is taken apart."
      />
      {meaning?.kind === 'spaces' && (
        <p className="flex flex-wrap gap-2">
          {meaning.offers.map((path) => (
            <button key={path} type="button" className="btn" onClick={() => onChange(path, false)}>
              <span className="mono truncate">{path}</span>
            </button>
          ))}
        </p>
      )}
      {reading !== null && reading.meaning.kind === 'address' && (
        <div className="note" role="status">
          <b>Taken apart</b>
          <div className="min-w-0">
            <Understood meaning={reading.meaning} />
            <button type="button" className="link" onClick={() => onUndo(reading.before)}>
              Undo
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
