/** Fields that few links have: what a tap carries on, the end of the link, and the oldest version of the app. */
import type { Link } from '@generated/types.gen.ts';
import { Check, Field } from '../../components/field.tsx';
import { Fold } from '../../components/fold.tsx';
import { endsOfOne } from './end.ts';
import { EndField } from './end-field.tsx';
import { isUsualPassQuery, USUAL_PASS_QUERY } from './pass-query.ts';

/** Of these fields, what the tester of the rules follows. */
export interface Extras {
  /** As typed, with commas or spaces between. */
  readonly passQuery: string;
  readonly expiredUrl: string;
  readonly goneWhenExpired: boolean;
}

export function extrasOf(link: Link | null): Extras {
  return {
    passQuery: (link?.passQuery ?? USUAL_PASS_QUERY).join(', '),
    expiredUrl: link?.expiredUrl ?? '',
    goneWhenExpired: link?.goneWhenExpired ?? false,
  };
}

interface Props {
  readonly link: Link | null;
  readonly extras: Extras;
  readonly set: (change: Partial<Extras>) => void;
}

export function CarriedOn({ link, extras, set, hasHost }: Props & { hasHost: boolean }) {
  return (
    <Fold
      title="Carried on by the tap"
      isOpen={link?.passPath === true || (link !== null && !isUsualPassQuery(link.passQuery))}
    >
      <Field
        label="Parameters that a tap carries on"
        name="passQuery"
        isMono
        autoCapitalize="off"
        spellCheck={false}
        value={extras.passQuery}
        onChange={({ target }) => set({ passQuery: target.value })}
        help="Names with commas between; * at the end for any, such as utm_*. Of a tap on the short URL with ?ref=mail they go to the app and to the address for everybody else, where these have none of that name. If empty, none."
      />
      <Check
        label="Longer addresses are this link too"
        name="passPath"
        defaultChecked={link?.passPath}
        help={`What follows the link’s address, such as 42 of ${hasHost ? 'shoes/42' : 'l/CODE/42'}, is appended to the path in the app and to the address for everybody else.`}
      />
    </Fold>
  );
}

export function End({ link, extras, set, isNew }: Props & { isNew: boolean }) {
  return (
    <Fold
      title="End"
      isOpen={link !== null && (link.expiresAt !== null || link.expiredUrl !== null || link.goneWhenExpired)}
    >
      <EndField options={endsOfOne(isNew ? null : (link?.expiresAt ?? null))} />
      <Field
        label="Leads to, once it has ended"
        name="expiredUrl"
        type="url"
        value={extras.expiredUrl}
        disabled={extras.goneWhenExpired}
        onChange={({ target }) => set({ expiredUrl: target.value })}
        help="A web address, for all visitors. If empty: the address for everybody else."
      />
      <Check
        label="Nothing, once it has ended"
        name="goneWhenExpired"
        checked={extras.goneWhenExpired}
        onChange={({ target }) => set({ goneWhenExpired: target.checked })}
        help="Visitors then get a page that says the link has ended, whatever addresses there are."
      />
    </Fold>
  );
}

export function OldestVersion({ link }: Pick<Props, 'link'>) {
  const { ios, android } = link?.minAppVersion ?? {};
  return (
    <Fold title="Oldest version of the app" isOpen={ios !== undefined || android !== undefined}>
      <p className="meta">
        An older app is told to ask for an update in place of a screen that it does not have.
      </p>
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        {(
          [
            ['ios', 'On iOS', ios],
            ['android', 'On Android', android],
          ] as const
        ).map(([name, label, value]) => (
          <Field
            key={name}
            label={label}
            name={`minAppVersion.${name}`}
            inputMode="decimal"
            placeholder="4.12"
            pattern="[0-9]{1,9}([.][0-9]{1,9}){0,3}"
            title="Up to four numbers with dots between, such as 4.12"
            defaultValue={value ?? ''}
          />
        ))}
      </div>
    </Fold>
  );
}
