import { Choice, Field } from '../../../components/field.tsx';
import type { WhenDraft } from './draft.ts';

type Query = NonNullable<WhenDraft['query']>;

const MOST = 10;
const TESTS = [
  ['is', 'is exactly'],
  ['any', 'is there, whatever its value'],
] as const;

/** Parameters that the tapped address must have, such as ?ref=mail. */
export function QueryFields({
  prefix,
  query,
  onChange,
}: {
  prefix: string;
  query: Query;
  onChange: (query: Query) => void;
}) {
  const set = (index: number, change: Partial<Query[number]>) =>
    onChange(query.map((each, place) => (place === index ? { ...each, ...change } : each)));
  return (
    <div className="col-span-full grid gap-3">
      {query.map(({ name, value }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: parameters are added and removed at the end, and have no other key
          key={index}
          className="grid grid-cols-2 gap-3 max-phone:grid-cols-1"
        >
          <Field
            label="Parameter"
            name={`${prefix}query.${index}`}
            isMono
            placeholder="ref"
            maxLength={64}
            autoCapitalize="off"
            value={name}
            onChange={({ target }) => set(index, { name: target.value })}
          />
          <Choice
            label="It"
            value={value === null ? 'any' : 'is'}
            options={TESTS}
            onChange={({ target }) => set(index, { value: target.value === 'any' ? null : '' })}
          />
          {value !== null && (
            <Field
              label="Value"
              isMono
              placeholder="mail"
              maxLength={255}
              autoCapitalize="off"
              value={value}
              onChange={({ target }) => set(index, { value: target.value })}
            />
          )}
          {query.length > 1 && (
            <div className="self-end">
              <button
                type="button"
                className="btn"
                onClick={() => onChange(query.filter((_, place) => place !== index))}
              >
                Remove {name === '' ? 'this parameter' : name}
              </button>
            </div>
          )}
        </div>
      ))}
      {query.length < MOST && (
        <div>
          <button type="button" className="btn" onClick={() => onChange([...query, { name: '', value: '' }])}>
            And another parameter
          </button>
        </div>
      )}
    </div>
  );
}
