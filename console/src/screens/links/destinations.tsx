import type { ReactNode } from 'react';
import { Field } from '../../components/field.tsx';
import { SuggestField } from '../../components/suggest-field.tsx';
import type { FormTexts } from './form-texts.ts';
import type { Suggestions } from './use-suggestions.ts';
import { isWebAddress, readUtm, setUtm, UTM } from './utm.ts';

export function Fold({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen} className="border-t border-line pt-2">
      <summary className="min-h-(--row) py-1.5 font-semibold">{title}</summary>
      <div className="grid gap-4 pt-2 pb-2">{children}</div>
    </details>
  );
}

type Set = (change: Partial<FormTexts>) => void;

export function Destinations({
  texts,
  set,
  utm,
  isOpen,
}: {
  texts: FormTexts;
  set: Set;
  utm: Suggestions['utm'];
  isOpen: boolean;
}) {
  return (
    <Fold title="Where it leads" isOpen={isOpen}>
      <Field
        label="iPhones and iPads"
        name="iosDestination"
        type="url"
        value={texts.iosDestination}
        onChange={({ target }) => set({ iosDestination: target.value })}
        help="If empty: the app’s own address in the App Store."
      />
      <Field
        label="Android phones"
        name="androidDestination"
        type="url"
        value={texts.androidDestination}
        onChange={({ target }) => set({ androidDestination: target.value })}
        help="If empty: the app’s own address in Google Play."
      />
      <Field
        label="Everybody else"
        name="fallbackUrl"
        type="url"
        value={texts.fallbackUrl}
        onChange={({ target }) => set({ fallbackUrl: target.value })}
        help="A web address. If empty: the app’s own."
      />
      <UtmBuilder address={texts.fallbackUrl} set={set} used={utm} />
    </Fold>
  );
}

/** The parameters of the address above, which alone has them: a change of either is one of both. */
function UtmBuilder({ address, set, used }: { address: string; set: Set; used: Suggestions['utm'] }) {
  const values = readUtm(address);
  const isOff = !isWebAddress(address);
  return (
    <fieldset className="grid gap-3 border-l-2 border-line pl-4">
      <legend className="font-semibold">UTM parameters of this address</legend>
      <p className="meta">
        {isOff
          ? 'Write the web address for everybody else first: they are added to it.'
          : 'They are part of the address above, for the statistics of that page. Phones that go to a store do not see them.'}
      </p>
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        {UTM.map(([name, label]) => (
          <SuggestField
            key={name}
            label={label}
            name={name}
            value={values[name]}
            suggestions={used[name]}
            isOff={isOff}
            onChange={(text) => set({ fallbackUrl: setUtm(address, name, text) })}
          />
        ))}
      </div>
    </fieldset>
  );
}
