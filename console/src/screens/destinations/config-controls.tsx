/** The controls of a type’s config. */
import type { Destination } from '@generated/types.gen.ts';
import { useState } from 'react';
import { Choice, Field, TextArea } from '../../components/field.tsx';
import { Fold } from '../../components/fold.tsx';
import { type ConfigField, NONE } from './config-fields.ts';
import { linesOf } from './lines.ts';

type Kept = Pick<Destination, 'config' | 'secretsSet'> | null;

export function ConfigControls({
  fields,
  destination,
}: {
  fields: readonly ConfigField[];
  destination: Kept;
}) {
  const usual = fields.filter(({ isAdvanced }) => !isAdvanced);
  const advanced = fields.filter(({ isAdvanced }) => isAdvanced);
  return (
    <>
      {usual.map((field) => (
        <Control key={field.name} field={field} destination={destination} />
      ))}
      {advanced.length > 0 && (
        <Fold title="Advanced" isOpen={advanced.some(({ name }) => destination?.config[name] !== undefined)}>
          {advanced.map((field) => (
            <Control key={field.name} field={field} destination={destination} />
          ))}
        </Fold>
      )}
    </>
  );
}

function Control({ field, destination }: { field: ConfigField; destination: Kept }) {
  if (destination?.secretsSet.includes(field.name)) return <KeptSecret field={field} />;
  return <Input field={field} value={destination?.config[field.name]} />;
}

/** Never shown again; stays as it is unless it is replaced. */
function KeptSecret({ field }: { field: ConfigField }) {
  const [isReplaced, setReplaced] = useState(false);
  if (isReplaced)
    return (
      <div className="grid justify-items-start gap-1">
        <div className="w-full">
          <Input field={field} value={undefined} />
        </div>
        {!field.isRequired && <p className="meta">Left empty, it is removed.</p>}
        <button type="button" className="btn btn-quiet" onClick={() => setReplaced(false)}>
          Keep the present one
        </button>
      </div>
    );
  return (
    <div className="grid justify-items-start gap-1.5">
      <p className="font-semibold">{field.label}</p>
      <p className="flex flex-wrap items-center gap-2 text-ink-2">
        Set, and not shown again.
        <button type="button" className="btn" onClick={() => setReplaced(true)}>
          Replace<span className="sr-only"> {field.label}</span>
        </button>
      </p>
    </div>
  );
}

function Input({ field, value }: { field: ConfigField; value: unknown }) {
  const { control, label, help, kind, isRequired, isSecret } = field;
  const common = { label, help, name: control, required: isRequired };
  if (kind === 'choice')
    return (
      <Choice
        {...common}
        defaultValue={String(value ?? field.first)}
        options={[
          ...(field.first === NONE ? [[NONE, field.options.length === 2 ? 'Both' : 'Not set'] as const] : []),
          ...field.options.map((each) => [each, each] as const),
        ]}
      />
    );
  if (kind === 'headers')
    return (
      <TextArea
        {...common}
        isMono
        defaultValue={linesOf(value as Record<string, string> | undefined, ':')}
        placeholder="Authorization: Bearer …"
        help={`One a line, as “Name: value”. ${help ?? ''}`}
      />
    );
  if (kind === 'json')
    return (
      <TextArea
        {...common}
        isMono
        rows={8}
        defaultValue={textOf(value)}
        placeholder='{ "name": "{{name}}", "record": "{{record}}" }'
        spellCheck={false}
      />
    );
  return (
    <Field
      {...common}
      type={kind === 'address' ? 'url' : 'text'}
      isMono={isSecret}
      autoComplete="off"
      spellCheck={false}
      defaultValue={textOf(value)}
    />
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
