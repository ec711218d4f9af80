import type { Link } from '@generated/types.gen.ts';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Check, Choice, Field, TextArea } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { type LinkFields, readFields } from './link-fields.ts';

/** All fields of a link; most are folded away for a new one. */
export function LinkForm({
  link,
  action,
  error,
  isRunning,
  onSubmit,
  children,
}: {
  link: Link | null;
  action: string;
  error: ApiError | null;
  isRunning: boolean;
  onSubmit: (fields: LinkFields) => void;
  /** Other buttons. */
  children?: ReactNode;
}) {
  const [wrong, setWrong] = useState<{ readonly field: string; readonly text: string } | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const read = readFields(new FormData(event.currentTarget), link === null);
    setWrong('wrong' in read ? read.wrong : null);
    if ('fields' in read) onSubmit(read.fields);
  };
  return (
    <form className="grid max-w-[560px] gap-4 pt-4" onSubmit={submit}>
      <Field
        label="Path in the app"
        name="deepLinkPath"
        isMono
        required
        maxLength={2048}
        defaultValue={link?.deepLinkPath}
        help="The app opens this screen, also after an install."
      />
      {link === null && (
        <Field
          label="Short code"
          name="shortCode"
          isMono
          pattern="[A-Za-z0-9_\-]{3,64}"
          title="3 to 64 letters, digits, - and _"
          help="Left empty, the service makes one. It stays as it is."
        />
      )}
      <Field label="Campaign" name="campaignId" maxLength={255} defaultValue={link?.campaignId ?? ''} />
      <Destinations link={link} />
      <Card link={link} />
      <More link={link} wrongParams={wrong?.field === 'deepLinkParams' ? wrong.text : null} />
      <Refusal error={error} />
      <div className="flex gap-2">
        <button type="submit" className="btn btn-main" aria-disabled={isRunning}>
          {action}
        </button>
        {children}
      </div>
    </form>
  );
}

function Fold({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen} className="border-t border-line pt-2">
      <summary className="min-h-(--row) py-1.5 font-semibold">{title}</summary>
      <div className="grid gap-4 pt-2 pb-2">{children}</div>
    </details>
  );
}

function Destinations({ link }: { link: Link | null }) {
  const isSet = [link?.iosDestination, link?.androidDestination, link?.fallbackUrl].some(
    (url) => url != null,
  );
  return (
    <Fold title="Where it leads" isOpen={isSet}>
      <Field
        label="iPhones and iPads"
        name="iosDestination"
        type="url"
        defaultValue={link?.iosDestination ?? ''}
        help="Left empty, the app’s own address in the App Store."
      />
      <Field
        label="Android phones"
        name="androidDestination"
        type="url"
        defaultValue={link?.androidDestination ?? ''}
        help="Left empty, the app’s own address in Google Play."
      />
      <Field label="Everybody else" name="fallbackUrl" type="url" defaultValue={link?.fallbackUrl ?? ''} />
    </Fold>
  );
}

function Card({ link }: { link: Link | null }) {
  const isSet = [link?.ogTitle, link?.ogDescription, link?.ogImage].some((text) => text != null);
  return (
    <Fold title="Card in chats" isOpen={isSet}>
      <Field label="Title" name="ogTitle" maxLength={255} defaultValue={link?.ogTitle ?? ''} />
      <TextArea label="Text" name="ogDescription" maxLength={1000} defaultValue={link?.ogDescription ?? ''} />
      <Field label="Address of the picture" name="ogImage" type="url" defaultValue={link?.ogImage ?? ''} />
    </Fold>
  );
}

const PAGES = [
  ['', 'As the app'],
  ['auto', 'Where a redirect would lose the match'],
  ['always', 'Always'],
  ['never', 'Never'],
] as const;

function More({ link, wrongParams }: { link: Link | null; wrongParams: string | null }) {
  const params =
    link === null || Object.keys(link.deepLinkParams).length === 0
      ? ''
      : JSON.stringify(link.deepLinkParams, null, 2);
  return (
    <Fold title="More" isOpen={params !== '' || wrongParams !== null || link?.expiresAt != null}>
      <TextArea
        label="Parameters for the app"
        name="deepLinkParams"
        isMono
        defaultValue={params}
        placeholder='{ "colour": "red" }'
        error={wrongParams}
        help="A JSON object, delivered with the path."
      />
      <Choice
        label="Page before the store"
        name="landingPage"
        defaultValue={link?.landingPage ?? ''}
        options={PAGES}
      />
      <Field
        label="Ends in days"
        name="expiresInDays"
        type="number"
        min={1}
        max={3650}
        help={link?.expiresAt != null ? 'Left empty, the end stays as it is.' : 'Left empty, it never ends.'}
      />
      <Check
        label="Sandbox"
        help="Only debug builds of the app can claim its clicks."
        name="sandbox"
        defaultChecked={link?.sandbox}
      />
    </Fold>
  );
}
