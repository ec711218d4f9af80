/** What a destination takes, of whom, and under which names. */
import type { Destination, DestinationType } from '@generated/types.gen.ts';
import { useState } from 'react';
import { Check, Field, TextArea } from '../../components/field.tsx';
import { Fold } from '../../components/fold.tsx';
import { linesOf } from './lines.ts';
import { EVENTS } from './read-form.ts';
import { CONSENTS } from './words.ts';

type Of = { destination: Destination | null };

export function RecordsChoice({ destination }: Of) {
  const given = destination?.events ?? [];
  const [chosen, setChosen] = useState(() =>
    EVENTS.map(([kind]) => kind).filter((kind) => given.length === 0 || given.includes(kind)),
  );
  const takesEvents = chosen.length === 0 || chosen.includes('event');
  return (
    <>
      <fieldset>
        <legend className="font-semibold">Records</legend>
        {EVENTS.map(([kind, label, help]) => (
          <Check
            key={kind}
            label={label}
            help={help}
            name="events"
            value={kind}
            checked={chosen.includes(kind)}
            onChange={({ target }) =>
              setChosen(target.checked ? [...chosen, kind] : chosen.filter((each) => each !== kind))
            }
          />
        ))}
        <p className="meta">None chosen means all.</p>
      </fieldset>
      {takesEvents && (
        <TextArea
          label="Names of events"
          name="eventNames"
          isMono
          defaultValue={destination?.eventNames.join('\n') ?? ''}
          placeholder="purchase"
          help="One a line. If empty, every event is sent."
        />
      )}
    </>
  );
}

export function ConsentChoice({ destination }: Of) {
  return (
    <fieldset>
      <legend className="font-semibold">Consent</legend>
      {CONSENTS.map(([value, label, help]) => (
        <label key={value} className="flex items-start gap-2 py-1">
          <input
            type="radio"
            className="mt-1 flex-none"
            name="consent"
            value={value}
            defaultChecked={value === (destination?.consent ?? 'granted')}
          />
          <span>
            {label}
            <span className="meta block">{help}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Only at first: later a button switches it. */
export function FirstSwitch() {
  return (
    <Check
      label="Switch it on at once"
      name="enabled"
      defaultChecked
      help="Without it nothing is sent yet: look at a preview and send a test first."
    />
  );
}

export function MappingFold({ type, destination }: Of & { type: DestinationType }) {
  const { events = {}, fields = {} } = destination?.mapping ?? {};
  const isGiven = Object.keys(events).length + Object.keys(fields).length > 0;
  return (
    <Fold title="Names and fields" isOpen={isGiven}>
      <TextArea
        label="Names of events there"
        name="mapping.events"
        isMono
        defaultValue={linesOf(events, '=')}
        placeholder="level_up = Level reached"
        help={`One a line, as “name here = name there”. Without a line, standard events have ${type.title}’s own name, and others keep theirs.`}
      />
      {Object.entries(type.mappable).map(([field, source]) => (
        <Field
          key={field}
          label={field}
          name={`mapping.fields.${field}`}
          isMono
          maxLength={128}
          defaultValue={fields[field]}
          placeholder={source || 'not sent'}
          help="Where its value comes from, such as properties.plan, identifiers.vendorId or userId."
        />
      ))}
    </Fold>
  );
}
