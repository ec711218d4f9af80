import type { App } from '@generated/types.gen.ts';
import { useState } from 'react';
import { Check, Choice, Field } from '../../components/field.tsx';
import { Group, PAGES } from './group.tsx';

const DESTINATIONS = [
  ['iosDestination', 'iPhones and iPads lead to', 'If empty: the app’s own address in the App Store.'],
  ['androidDestination', 'Android phones lead to', 'If empty: the app’s own address in Google Play.'],
  ['fallbackUrl', 'Everybody else leads to', 'If empty: the fallback of the app.'],
] as const;

/** Links that the app makes for what its users share. */
export function ShareFields({ app: { appLinks } }: { app: App }) {
  const [isOn, setOn] = useState(appLinks?.enabled ?? false);
  const { defaults = {} } = appLinks ?? {};
  return (
    <Group title="Share links">
      <div className="col-span-full grid gap-2">
        <Check
          label="The app may make links"
          name="appLinks.enabled"
          checked={isOn}
          onChange={({ target }) => setOn(target.checked)}
          help="For what a user shows a friend, by createLink() of the SDK. Installs by them name the install that invited."
        />
        <p className="meta">
          {isOn
            ? 'Phones choose the screen and the card, never where a link leads: that stands here. Links open the app itself once phones have its association files (Set-up says what is left).'
            : appLinks === null
              ? 'While this is off, createLink() is refused.'
              : 'While this is off, createLink() is refused. Links that were made before go on working.'}
        </p>
      </div>
      {/* Not removed while they are off, so that switching on again loses no text. */}
      <fieldset disabled={!isOn} hidden={!isOn} className="contents">
        <legend className="sr-only">Links that the app makes</legend>
        {DESTINATIONS.map(([name, label, help]) => (
          <Field
            key={name}
            label={label}
            name={`appLinks.defaults.${name}`}
            type="url"
            defaultValue={defaults[name] ?? ''}
            help={help}
          />
        ))}
        <Choice
          label="Page before the store, for share links"
          name="appLinks.defaults.landingPage"
          defaultValue={defaults.landingPage ?? ''}
          options={[['', 'As the app'], ...PAGES]}
        />
        <Field
          label="Campaign of share links"
          name="appLinks.defaults.campaignId"
          maxLength={255}
          defaultValue={defaults.campaignId ?? ''}
          help="Under which statistics count them. If empty, none."
        />
        <div className="self-end">
          <Check
            label="The app may choose another campaign"
            name="appLinks.allowCampaignId"
            defaultChecked={appLinks?.allowCampaignId}
            help="Whoever reads the key out of the app can then fill any campaign."
          />
        </div>
        <Most
          label="New links of one install a day"
          name="appLinks.perInstallPerDay"
          max={10_000}
          value={appLinks?.perInstallPerDay ?? 50}
          help="More are refused until the UTC day is over. The same content is the same link, and counts once."
        />
        <Most
          label="New links of all installs a day"
          name="appLinks.perDay"
          max={100_000_000}
          value={appLinks?.perDay ?? 100_000}
          help="Bounds what a stolen key can make. An operator raises it."
        />
      </fieldset>
    </Group>
  );
}

function Most({
  label,
  name,
  max,
  value,
  help,
}: {
  label: string;
  name: string;
  max: number;
  value: number;
  help: string;
}) {
  return <Field type="number" min={1} required defaultValue={value} {...{ label, name, max, help }} />;
}
