import type { Link } from '@generated/types.gen.ts';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Check, Choice, Field, TextArea } from '../../components/field.tsx';
import { Form, FormRefusal } from '../../components/form.tsx';
import { SuggestField } from '../../components/suggest-field.tsx';
import { Destinations, Fold } from './destinations.tsx';
import type { FormTexts } from './form-texts.ts';
import { type LinkFields, readFields } from './link-fields.ts';
import { PathField } from './path-field.tsx';
import { TagsField } from './tags-field.tsx';
import { useFormTexts } from './use-form-texts.ts';
import { useSuggestions } from './use-suggestions.ts';
import { useTags } from './use-tags.ts';

interface LinkFormProps {
  /** Whose values the form has at first. */
  readonly link: Link | null;
  /** A link that is not made yet, perhaps with the values of another. */
  readonly isNew?: boolean;
  /** To take apart at first. */
  readonly address?: string | undefined;
  readonly action: string;
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly onSubmit: (fields: LinkFields) => void;
  /** Other buttons. */
  readonly children?: ReactNode;
}

/** All fields of a link; most are folded away for a new one. */
export function LinkForm({
  link,
  isNew = false,
  address,
  action,
  error,
  isRunning,
  onSubmit,
  children,
}: LinkFormProps) {
  const [wrong, setWrong] = useState<{ readonly field: string; readonly text: string } | null>(null);
  const { texts, set, isTaken, hasPath, path } = useFormTexts(link, address);
  const { campaigns, utm } = useSuggestions();
  const tags = useTags();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!hasPath()) return;
    const read = readFields(new FormData(event.currentTarget), isNew);
    setWrong('wrong' in read ? read.wrong : null);
    if ('fields' in read) onSubmit(read.fields);
  };
  return (
    <Form
      error={error}
      fieldOf={{ 'link.code_taken': 'shortCode' }}
      className="grid max-w-[560px] grid-cols-[minmax(0,1fr)] gap-4 pt-4"
      onSubmit={submit}
    >
      <PathField {...path} />
      {isNew && (
        <Field
          label="Short code"
          name="shortCode"
          isMono
          pattern="[A-Za-z0-9_\-]{3,64}"
          title="3 to 64 letters, digits, - and _"
          help="If empty, the service makes one. It cannot be changed later."
        />
      )}
      <Field
        label="Title"
        name="title"
        maxLength={255}
        defaultValue={link?.title ?? ''}
        help="For your team: in lists and searches, never on a page."
      />
      <TagsField label="Tags" name="tags" first={link?.tags ?? []} suggestions={tags} />
      <SuggestField
        label="Campaign"
        name="campaignId"
        value={texts.campaignId}
        suggestions={campaigns}
        onChange={(campaignId) => set({ campaignId })}
      />
      <Destinations
        texts={texts}
        set={set}
        utm={utm}
        isOpen={isTaken || [link?.iosDestination, link?.androidDestination, link?.fallbackUrl].some(isGiven)}
      />
      <Card link={link} />
      <More
        link={link}
        isNew={isNew}
        params={texts.deepLinkParams}
        set={set}
        wrongParams={wrong?.field === 'deepLinkParams' ? wrong.text : null}
        isOpen={
          (isTaken && texts.deepLinkParams !== '') || Object.keys(link?.deepLinkParams ?? {}).length > 0
        }
      />
      <FormRefusal error={error} />
      <div className="flex gap-2">
        <button type="submit" className="btn btn-main" aria-disabled={isRunning}>
          {action}
        </button>
        {children}
      </div>
    </Form>
  );
}

function isGiven(value: string | null | undefined): boolean {
  return value != null;
}

function Card({ link }: { link: Link | null }) {
  const isSet = [link?.ogTitle, link?.ogDescription, link?.ogImage].some(isGiven);
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

function More({
  link,
  isNew,
  params,
  set,
  wrongParams,
  isOpen,
}: {
  link: Link | null;
  isNew: boolean;
  params: string;
  set: (change: Partial<FormTexts>) => void;
  wrongParams: string | null;
  isOpen: boolean;
}) {
  return (
    <Fold title="More" isOpen={isOpen || wrongParams !== null || link?.expiresAt != null}>
      <TextArea
        label="Parameters for the app"
        name="deepLinkParams"
        isMono
        value={params}
        onChange={({ target }) => set({ deepLinkParams: target.value })}
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
        help={
          link?.expiresAt != null && !isNew ? 'If empty, the end stays as it is.' : 'If empty, it never ends.'
        }
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
