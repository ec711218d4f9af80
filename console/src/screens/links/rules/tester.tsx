/** “Who gets what”: rules tried on a visitor, and on the usual ones, by the code with which the service chooses. */
import type { App, LinkRule } from '@generated/types.gen.ts';
import { useState } from 'react';
import { Choice, Field } from '../../../components/field.tsx';
import { SuggestField } from '../../../components/suggest-field.tsx';
import { LOCALE, ZONE } from '../../../formats.ts';
import { isoOf, localOf } from './draft.ts';
import { allCountries, allLanguages, codeOf } from './places.ts';
import { type TriedLink, tryRules, USUAL, usualVersion, type Visitor, versionHelp } from './try-rules.ts';
import { UsualVisitors } from './usual-visitors.tsx';
import { Gets } from './verdict.tsx';
import { DEVICES, formatLanguage, ruleName } from './words.ts';

export type Places = Pick<App, 'iosDestination' | 'androidDestination' | 'fallbackUrl'>;

/** As typed: names of countries and languages, and the time; empty is now. */
interface Typed extends Omit<Visitor, 'at'> {
  readonly at: string;
}

const FIRST: Typed = {
  platform: 'IOS',
  osVersion: '18.5',
  language: formatLanguage(LOCALE),
  country: '',
  query: '',
  at: '',
};

export function Tester({
  link,
  rules,
  wrong = [],
  app,
}: {
  link: TriedLink;
  rules: readonly LinkRule[];
  /** Why the service would refuse a rule, by place. */
  wrong?: readonly (string | null)[];
  /** Whose places stand where neither rule nor link names one. */
  app: Places;
}) {
  const [typed, setTyped] = useState(FIRST);
  const visitor: Visitor = {
    ...typed,
    language: codeOf('language', typed.language) ?? '',
    country: codeOf('country', typed.country) ?? '',
    at: typed.at === '' ? new Date().toISOString() : typed.at,
  };
  const { shares, reasons } = tryRules(rules, visitor, wrong);
  const passedOver = reasons.flatMap((reason, place) => (reason === null ? [] : [{ reason, place }]));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <VisitorFields typed={typed} set={(change) => setTyped({ ...typed, ...change })} />
      <div role="status" aria-label="What this visitor gets" className="grid gap-3">
        {shares.map(({ place, percent }) => (
          <Gets
            key={place ?? 'link'}
            {...{ link, app, visitor, percent, place }}
            rule={place === null ? null : (rules[place] ?? null)}
          />
        ))}
        {passedOver.length > 0 && (
          <div>
            <p className="font-semibold">Why no other rule wins</p>
            <ul className="grid gap-1 pt-1">
              {passedOver.map(({ reason, place }) => (
                <li key={place} className="text-ink-2 [overflow-wrap:anywhere]">
                  <span className="text-ink">{ruleName(rules[place] ?? {}, place)}:</span> {reason}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <p className="meta">
        With this language, country, parameters and time, on the devices that most people have:
      </p>
      <UsualVisitors
        {...{ link, app, rules, wrong }}
        visitors={USUAL.map((usual) => ({ ...usual, visitor: { ...visitor, ...usual } }))}
      />
    </div>
  );
}

/** None has a name, so that none is part of a form around them. */
function VisitorFields({ typed, set }: { typed: Typed; set: (change: Partial<Typed>) => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps Enter in its fields from sending the form around them
    <div
      className="grid grid-cols-2 gap-3 max-phone:grid-cols-1"
      onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
    >
      <Choice
        label="Device of the visitor"
        value={typed.platform}
        options={Object.entries(DEVICES)}
        onChange={({ target }) => {
          const platform = (['IOS', 'ANDROID', 'OTHER'] as const).find((each) => each === target.value);
          if (platform !== undefined) set({ platform, osVersion: usualVersion(platform) });
        }}
      />
      <Field
        label="Version of its system"
        inputMode="decimal"
        disabled={typed.platform === 'OTHER'}
        value={typed.osVersion}
        help={versionHelp(typed.platform)}
        onChange={({ target }) => set({ osVersion: target.value })}
      />
      <Named
        kind="language"
        label="Its language"
        value={typed.language}
        set={(language) => set({ language })}
      />
      <Named kind="country" label="Its country" value={typed.country} set={(country) => set({ country })} />
      <Field
        label="Parameters of the address"
        isMono
        autoCapitalize="off"
        spellCheck={false}
        placeholder="ref=mail&utm_source=poster"
        value={typed.query}
        onChange={({ target }) => set({ query: target.value })}
      />
      <Field
        label="Time of the tap"
        type="datetime-local"
        step="any"
        value={typed.at === '' ? '' : localOf(typed.at)}
        help={`${ZONE}. If empty: now.`}
        onChange={({ target }) => set({ at: isoOf(target.value) })}
      />
    </div>
  );
}

function Named({
  kind,
  label,
  value,
  set,
}: {
  kind: 'language' | 'country';
  label: string;
  value: string;
  set: (text: string) => void;
}) {
  const all = kind === 'country' ? allCountries() : allLanguages();
  const isUnknown = value.trim() !== '' && codeOf(kind, value) === null;
  return (
    <SuggestField
      label={label}
      value={value}
      suggestions={all.map(([, name]) => name)}
      onChange={set}
      help={isUnknown ? `No ${kind} has this name: counts as not known.` : 'If empty: not known.'}
    />
  );
}
