import { Field } from '../../components/field.tsx';
import { Fold } from '../../components/fold.tsx';
import { SuggestField } from '../../components/suggest-field.tsx';
import type { FormTexts } from './form-texts.ts';
import type { Suggestions } from './use-suggestions.ts';
import { isWebAddress, readUtm, setUtm, UTM } from './utm.ts';

type Set = (change: Partial<FormTexts>) => void;

const DESTINATIONS = [
  ['iosDestination', 'iPhones and iPads', 'If empty: the app’s own address in the App Store.'],
  ['androidDestination', 'Android phones', 'If empty: the app’s own address in Google Play.'],
  ['fallbackUrl', 'Everybody else', 'A web address. If empty: the app’s own.'],
] as const;

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
      {DESTINATIONS.map(([name, label, help]) => (
        <Field
          key={name}
          label={label}
          name={name}
          type="url"
          value={texts[name]}
          onChange={({ target }) => set({ [name]: target.value })}
          help={help}
        />
      ))}
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
