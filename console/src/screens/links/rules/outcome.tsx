import { Field, TextArea } from '../../../components/field.tsx';
import type { ThenDraft } from './draft.ts';

const PLACES = [
  ['iosDestination', 'iPhones and iPads lead to'],
  ['androidDestination', 'Android phones lead to'],
  ['fallbackUrl', 'Everybody else leads to'],
] as const;

/** What the visitors of a rule get in place of what the link says. */
export function Outcome({
  then,
  platform,
  prefix,
  onChange,
}: {
  then: ThenDraft;
  /** That the rule asks for: addresses of others are left out while they are empty. */
  platform: 'IOS' | 'ANDROID' | 'OTHER' | undefined;
  prefix: string;
  onChange: (then: ThenDraft) => void;
}) {
  const set = (name: keyof ThenDraft) => (text: string) => onChange({ ...then, [name]: text });
  const isShown = (name: (typeof PLACES)[number][0]) =>
    then[name] !== '' ||
    platform === undefined ||
    name === 'fallbackUrl' ||
    name === (platform === 'IOS' ? 'iosDestination' : platform === 'ANDROID' ? 'androidDestination' : '');
  const isAddress = /^\s*https?:\/\//i.test(then.deepLinkPath);
  return (
    <div className="grid gap-3">
      <div>
        <p className="font-semibold">What they get</p>
        <p className="meta">What is empty stays as the link has it.</p>
      </div>
      {PLACES.filter(([name]) => isShown(name)).map(([name, label]) => (
        <Field
          key={name}
          label={label}
          name={`${prefix}then.${name}`}
          type="url"
          value={then[name]}
          help={
            name === 'fallbackUrl' && (platform === 'IOS' || platform === 'ANDROID')
              ? 'Only for phones for which neither rule, link nor app has an address.'
              : undefined
          }
          onChange={({ target }) => set(name)(target.value)}
        />
      ))}
      <Field
        label="Path in the app"
        name={`${prefix}then.deepLinkPath`}
        isMono
        maxLength={2048}
        autoCapitalize="off"
        spellCheck={false}
        value={then.deepLinkPath}
        help={
          isAddress
            ? 'This is a whole address, which the app gets as its path. Write the path alone, such as /sale.'
            : /\s/.test(then.deepLinkPath.trim())
              ? 'The app gets the spaces as they are. Remove them, or write %20.'
              : undefined
        }
        onChange={({ target }) => set('deepLinkPath')(target.value)}
      />
      <TextArea
        label="Parameters for the app"
        name={`${prefix}then.deepLinkParams`}
        isMono
        value={then.deepLinkParams}
        placeholder='{ "colour": "red" }'
        help="A JSON object, in place of all parameters of the link."
        onChange={({ target }) => set('deepLinkParams')(target.value)}
      />
      <Field
        label="Campaign"
        name={`${prefix}then.campaignId`}
        maxLength={255}
        value={then.campaignId}
        onChange={({ target }) => set('campaignId')(target.value)}
      />
    </div>
  );
}
