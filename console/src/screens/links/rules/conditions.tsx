/** Of whom a rule holds: each condition is added from a menu and removed by itself. */
import type { ReactNode } from 'react';
import { Choice, Field } from '../../../components/field.tsx';
import { Caret, Menu, MenuItem } from '../../../components/menu.tsx';
import { ZONE } from '../../../formats.ts';
import { CodesField } from './codes-field.tsx';
import {
  type ConditionKind,
  isoOf,
  localOf,
  type WhenDraft,
  wrongEndOf,
  wrongPercent,
  wrongVersion,
} from './draft.ts';
import { QueryFields } from './query-fields.tsx';
import { DEVICES } from './words.ts';

const KINDS: readonly (readonly [ConditionKind, string])[] = [
  ['platform', 'Device'],
  ['osVersion', 'Version of the system'],
  ['language', 'Language'],
  ['country', 'Country'],
  ['query', 'Parameter of the address'],
  ['time', 'Time'],
  ['percent', 'Share of visitors'],
];
const FIRST: Required<WhenDraft> = {
  platform: 'IOS',
  osVersion: { min: '', max: '' },
  language: [],
  country: [],
  query: [{ name: '', value: '' }],
  time: { from: '', to: '' },
  percent: '50',
};
const PLATFORMS = Object.entries(DEVICES);

interface Props {
  readonly when: WhenDraft;
  /** Of the rule's controls, such as `rules.0.`. */
  readonly prefix: string;
  readonly onChange: (when: WhenDraft) => void;
}

export function Conditions({ when, prefix, onChange }: Props) {
  const present = KINDS.filter(([kind]) => when[kind] !== undefined);
  const absent = KINDS.filter(([kind]) => when[kind] === undefined);
  return (
    <div className="grid gap-3">
      <p className="font-semibold">Who</p>
      {present.length === 0 && <p className="meta">Everybody. Add a condition to narrow it down.</p>}
      {present.map(([kind, label]) => (
        <Condition
          key={kind}
          label={label}
          onRemove={() => {
            const { [kind]: _, ...others } = when;
            onChange(others);
          }}
        >
          <Control {...{ kind, when, onChange }} prefix={`${prefix}when.`} />
        </Condition>
      ))}
      {absent.length > 0 && (
        <div>
          <Menu
            trigger={
              <>
                Add a condition <Caret />
              </>
            }
          >
            {absent.map(([kind, label]) => (
              <MenuItem key={kind} onSelect={() => onChange({ ...when, [kind]: FIRST[kind] })}>
                {label}
              </MenuItem>
            ))}
          </Menu>
        </div>
      )}
    </div>
  );
}

function Condition({
  label,
  onRemove,
  children,
}: {
  label: string;
  onRemove: () => void;
  children: ReactNode;
}) {
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] items-start gap-2 border-l-2 border-line pl-3">
      <legend className="sr-only">{label}</legend>
      <div className="grid min-w-0 grid-cols-2 gap-3 max-phone:grid-cols-1">{children}</div>
      <button
        type="button"
        className="btn btn-quiet"
        aria-label={`Remove the condition ${label}`}
        onClick={onRemove}
      >
        <span aria-hidden="true">×</span>
      </button>
    </fieldset>
  );
}

function Control({ kind, when, prefix, onChange }: Props & { kind: ConditionKind }) {
  const set = (change: WhenDraft) => onChange({ ...when, ...change });
  const { platform, osVersion, language = [], country = [], query = [], time, percent = '' } = when;
  switch (kind) {
    case 'platform':
      return (
        <Choice
          label="Device"
          name={`${prefix}platform`}
          value={platform}
          options={PLATFORMS as [string, string][]}
          onChange={({ target }) => {
            const chosen = (['IOS', 'ANDROID', 'OTHER'] as const).find((each) => each === target.value);
            if (chosen !== undefined) set({ platform: chosen });
          }}
        />
      );
    case 'osVersion':
      return (
        <Versions
          {...{ prefix, platform }}
          range={osVersion}
          onChange={(range) => set({ osVersion: range })}
        />
      );
    case 'language':
      return (
        <CodesField
          kind="language"
          name={`${prefix}language`}
          codes={language}
          help="The one they prefer most. German includes German of Austria."
          onChange={(codes) => set({ language: codes })}
        />
      );
    case 'country':
      return (
        <CodesField
          kind="country"
          name={`${prefix}country`}
          codes={country}
          help="Where the tap comes from, by its IP address."
          onChange={(codes) => set({ country: codes })}
        />
      );
    case 'query':
      return <QueryFields prefix={prefix} query={query} onChange={(each) => set({ query: each })} />;
    case 'time':
      return <Times prefix={prefix} time={time} onChange={(each) => set({ time: each })} />;
    case 'percent':
      return (
        <Field
          label="Percent of those who reach this rule"
          name={`${prefix}percent`}
          inputMode="decimal"
          value={percent}
          error={wrongPercent(percent)}
          help="By chance, for each tap. The others go on to the next rule."
          onChange={({ target }) => set({ percent: target.value })}
        />
      );
  }
}

type Range = NonNullable<WhenDraft['osVersion']>;

function Versions({
  prefix,
  platform,
  range = FIRST.osVersion,
  onChange,
}: {
  prefix: string;
  platform: WhenDraft['platform'];
  range: Range | undefined;
  onChange: (range: Range) => void;
}) {
  return (
    <>
      <Field
        label="From version"
        name={`${prefix}osVersion.min`}
        placeholder="17"
        inputMode="decimal"
        value={range.min}
        error={wrongVersion(range.min)}
        onChange={({ target }) => onChange({ ...range, min: target.value })}
      />
      <Field
        label="Up to version"
        name={`${prefix}osVersion.max`}
        placeholder="17"
        inputMode="decimal"
        value={range.max}
        error={wrongVersion(range.max)}
        help="17 includes 17.6. Browsers that hide newer versions are never below a highest one."
        onChange={({ target }) => onChange({ ...range, max: target.value })}
      />
      {(platform === undefined || platform === 'ANDROID') && (
        <p className="meta col-span-full">
          Chrome on Android does not tell its version at the first tap: such visitors do not get this rule.
        </p>
      )}
    </>
  );
}

type Time = NonNullable<WhenDraft['time']>;

function Times({
  prefix,
  time = FIRST.time,
  onChange,
}: {
  prefix: string;
  time: Time | undefined;
  onChange: (time: Time) => void;
}) {
  const sides = [
    ['from', 'From', `In your time zone, ${ZONE}.`],
    ['to', 'Until', 'From this moment on the rule is over.'],
  ] as const;
  return sides.map(([side, label, help]) => (
    <Field
      key={side}
      label={label}
      name={`${prefix}${side}`}
      type="datetime-local"
      step="any"
      value={time[side] === '' ? '' : localOf(time[side])}
      error={side === 'to' ? wrongEndOf(time) : null}
      help={help}
      onChange={({ target }) => onChange({ ...time, [side]: isoOf(target.value) })}
    />
  ));
}
