import type { Link } from '@generated/types.gen.ts';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Check, Choice, Field, TextArea } from '../../components/field.tsx';
import { Fold } from '../../components/fold.tsx';
import { Form, FormRefusal } from '../../components/form.tsx';
import { SuggestField } from '../../components/suggest-field.tsx';
import { Unsaved } from '../../components/unsaved.tsx';
import { AddressField } from './address-field.tsx';
import { Destinations } from './destinations.tsx';
import { CarriedOn, End, OldestVersion } from './extras.tsx';
import type { FormTexts } from './form-texts.ts';
import { type LinkFields, parseParams } from './link-fields.ts';
import { PathField } from './path-field.tsx';
import { RulesFold } from './rules/rules-fold.tsx';
import { TagsField } from './tags-field.tsx';
import { useLinkForm } from './use-link-form.ts';
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
  const form = useLinkForm({ link, isNew, address, onSubmit });
  const { texts, set, isTaken, path, rules, extras, setExtra, app, base } = form;
  const { campaigns, utm } = useSuggestions();
  const tags = useTags();
  const refusal = form.wrong ?? error;
  return (
    <Form
      error={refusal}
      fieldOf={{ 'link.code_taken': 'shortCode', 'link.path_taken': 'path' }}
      className="grid max-w-[560px] grid-cols-[minmax(0,1fr)] gap-4 pt-4"
      onSubmit={form.submit}
    >
      <Unsaved isEdited={form.isEdited} />
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
      <AddressField {...{ link, isNew, base }} value={form.typedPath} onChange={form.setTypedPath} />
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
      <RulesFold
        drafts={rules}
        onChange={form.setRules}
        link={{ ...triedTexts(texts), ...extras, expiresAt: isNew ? null : (link?.expiresAt ?? null) }}
        app={app ?? NO_PLACES}
      />
      <CarriedOn {...{ link, extras }} set={setExtra} hasHost={base != null} />
      <Card link={link} />
      <End {...{ link, extras, isNew }} set={setExtra} />
      <OldestVersion link={link} />
      <More
        link={link}
        params={texts.deepLinkParams}
        set={set}
        isOpen={
          (isTaken && texts.deepLinkParams !== '') || Object.keys(link?.deepLinkParams ?? {}).length > 0
        }
      />
      <FormRefusal error={refusal} />
      <div className="flex gap-2">
        <button type="submit" className="btn btn-main" aria-disabled={isRunning}>
          {action}
        </button>
        {children}
      </div>
    </Form>
  );
}

const NO_PLACES = { iosDestination: null, androidDestination: null, fallbackUrl: null };

/** As far as they decide who gets what; what is not valid yet is left out. */
function triedTexts(texts: FormTexts) {
  const given = (text: string) => text.trim() || null;
  return {
    deepLinkPath: texts.deepLinkPath,
    deepLinkParams: parseParams(given(texts.deepLinkParams)) ?? {},
    campaignId: given(texts.campaignId),
    iosDestination: given(texts.iosDestination),
    androidDestination: given(texts.androidDestination),
    fallbackUrl: given(texts.fallbackUrl),
  };
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
  params,
  set,
  isOpen,
}: {
  link: Link | null;
  params: string;
  set: (change: Partial<FormTexts>) => void;
  isOpen: boolean;
}) {
  return (
    <Fold title="More" isOpen={isOpen}>
      <TextArea
        label="Parameters for the app"
        name="deepLinkParams"
        isMono
        value={params}
        onChange={({ target }) => set({ deepLinkParams: target.value })}
        placeholder='{ "colour": "red" }'
        help="A JSON object, delivered with the path."
      />
      <Choice
        label="Page before the store"
        name="landingPage"
        defaultValue={link?.landingPage ?? ''}
        options={PAGES}
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
