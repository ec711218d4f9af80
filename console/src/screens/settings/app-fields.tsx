import type { App } from '@generated/types.gen.ts';
import { Check, Choice, Field, TextArea } from '../../components/field.tsx';
import { Group, PAGES } from './group.tsx';
import { HostFields } from './host-fields.tsx';
import { NetworkFields } from './network-fields.tsx';
import { RevenueCatFields } from './revenuecat-fields.tsx';
import { ShareFields } from './share-fields.tsx';

export function AppFields({ app }: { app: App }) {
  return (
    <>
      <Group title="App">
        <Field label="Name" name="name" required maxLength={255} defaultValue={app.name} />
        <Field
          label="Host of short links"
          name="shortLinkHost"
          isMono
          defaultValue={app.shortLinkHost ?? ''}
          help="Such as go.example.com. If empty: the host of the service."
        />
        <Field
          label="URL scheme"
          name="urlScheme"
          isMono
          defaultValue={app.urlScheme ?? ''}
          help="Such as shoeshop, without ://"
        />
        <Field
          label="Fallback for all others"
          name="fallbackUrl"
          type="url"
          defaultValue={app.fallbackUrl ?? ''}
        />
      </Group>
      <HostFields app={app} />
      <Group title="iOS">
        <Field label="Bundle ID" name="iosBundleId" isMono defaultValue={app.iosBundleId ?? ''} />
        <Field label="Team ID" name="iosTeamId" isMono defaultValue={app.iosTeamId ?? ''} />
        <Field
          label="App Store ID"
          name="iosAppStoreId"
          isMono
          inputMode="numeric"
          defaultValue={app.iosAppStoreId ?? ''}
        />
        <Field
          label="Address in the App Store"
          name="iosDestination"
          type="url"
          defaultValue={app.iosDestination ?? ''}
        />
      </Group>
      <Group title="Android">
        <Field label="Package" name="androidPackage" isMono defaultValue={app.androidPackage ?? ''} />
        <Field
          label="Address in Google Play"
          name="androidDestination"
          type="url"
          defaultValue={app.androidDestination ?? ''}
        />
        <div className="col-span-full">
          <TextArea
            label="SHA-256 fingerprints of the certificates"
            name="androidCertFingerprints"
            isMono
            defaultValue={app.androidCertFingerprints.join('\n')}
            help="One a line. In Play Console: Test and release, App integrity, App signing."
          />
        </div>
      </Group>
      <Matching app={app} />
      <NetworkFields app={app} />
      <ShareFields app={app} />
      <RevenueCatFields app={app} />
    </>
  );
}

function Matching({ app }: { app: App }) {
  return (
    <Group title="Matching">
      <Choice
        label="Page before the store"
        name="landingPage"
        defaultValue={app.landingPage}
        options={PAGES}
      />
      <div className="self-end">
        <Check
          label="Offer the click ID in the clipboard"
          help="On iPhones, by a button of the page."
          name="clipboardToken"
          defaultChecked={app.clipboardToken}
        />
      </div>
      <div>
        <Check label="Fingerprint on iOS" name="fingerprintIos" defaultChecked={app.fingerprintIos} />
        <Check
          label="Fingerprint on Android"
          name="fingerprintAndroid"
          defaultChecked={app.fingerprintAndroid}
        />
      </div>
      <Field
        label="Fingerprint matches from, %"
        name="fingerprintThreshold"
        type="number"
        min={50}
        max={99}
        required
        defaultValue={Math.round(app.fingerprintThreshold * 100)}
        help="The probability of its best click. Accuracy tells how often that is right."
      />
      <Hours
        label="Fingerprint looks back"
        name="fingerprintWindowHours"
        value={app.fingerprintWindowHours}
      />
      <Hours label="Install referrer looks back" name="referrerWindowHours" value={app.referrerWindowHours} />
      <Hours label="Click ID looks back" name="clickIdWindowHours" value={app.clickIdWindowHours} />
    </Group>
  );
}

function Hours({ label, name, value }: { label: string; name: string; value: number }) {
  return <Field label={`${label}, hours`} name={name} type="number" min={1} required defaultValue={value} />;
}
