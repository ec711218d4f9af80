import type { App } from '@generated/types.gen.ts';
import { Check, Field } from '../../components/field.tsx';
import { Group } from './group.tsx';

/** What ad networks may say of installs. */
export function NetworkFields({ app: { appleAds, hasMetaReferrerKey } }: { app: App }) {
  return (
    <Group title="Ad networks">
      <Check
        label="Ask Apple Ads about installs"
        name="appleAds"
        defaultChecked={appleAds}
        help="With the token that the SDK sends. While this is off, tokens are not kept."
      />
      <div className="grid content-start gap-2">
        <Field
          label="Install referrer decryption key of Meta"
          name="metaReferrerKey"
          isMono
          autoComplete="off"
          spellCheck={false}
          placeholder={hasMetaReferrerKey ? 'Set. Empty keeps it' : ''}
          help="64 characters: App settings, Basic, Android in Meta’s app dashboard. It is not shown again."
        />
        {hasMetaReferrerKey && <Check label="Remove Meta’s key" name="metaReferrerKey.remove" />}
      </div>
    </Group>
  );
}
