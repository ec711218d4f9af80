import type { FileHead } from '@service/links/import/file-head.ts';
import { useId } from 'react';
import { fieldName } from './fields.ts';
import { type Mapping, missingOf, withField } from './mapping.ts';

export interface TableFields {
  readonly all: readonly string[];
  /** A file needs one of each group. */
  readonly required: readonly (readonly string[])[];
}

/** What each column of a plain table becomes. */
export function ColumnsField({
  columns,
  mapping,
  fields: { all, required },
  onChange,
}: {
  columns: FileHead['columns'];
  mapping: Mapping;
  fields: TableFields;
  onChange: (mapping: Mapping) => void;
}) {
  const id = useId();
  const missing = missingOf(mapping, required);
  const needed = new Set(required.flat());
  const guards = columns.filter(({ mayProtect }, index) => mayProtect && mapping[index] === null);
  return (
    <section aria-labelledby={id} className="grid gap-2">
      <h2 id={id}>Columns</h2>
      <p role="status" className={missing.length > 0 ? 'text-bad' : 'text-ink-2'}>
        {missing.length > 0
          ? `Still needed: ${missing.map(([first = '', second = '']) => `${fieldName(first)} or ${fieldName(second)}`).join('; ')}. Choose the column of each.`
          : 'A short link and a destination are needed, marked with *. Correct what is guessed wrong.'}
      </p>
      {guards.length > 0 && (
        <div className="note" role="status">
          <b>May protect links</b>
          <p className="min-w-0 break-words">
            {guards.map(({ name }) => `“${name}”`).join(', ')} may hold a password, a limit or an end. Choose
            what it is, so that no closed link becomes an open one.
          </p>
        </div>
      )}
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Example</th>
            <th scope="col">Becomes</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, example }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
            <tr key={index}>
              <th scope="row" className="break-words" dir="auto">
                {name}
              </th>
              <td data-name="Example" className="break-words text-ink-2 [overflow-wrap:anywhere]" dir="auto">
                {example}
              </td>
              <td className="max-phone:w-full">
                <select
                  className="input max-w-[280px]"
                  aria-label={`${name} becomes`}
                  value={mapping[index] ?? ''}
                  onChange={({ target }) =>
                    onChange(withField(mapping, index, target.value === '' ? null : target.value))
                  }
                >
                  <option value="">Not read</option>
                  {all.map((field) => (
                    <option key={field} value={field}>
                      {fieldName(field)}
                      {needed.has(field) ? ' *' : ''}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
