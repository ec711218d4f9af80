import type { Link } from '@generated/types.gen.ts';
import { useState } from 'react';
import { Choice } from '../../components/field.tsx';
import { SuggestField } from '../../components/suggest-field.tsx';
import { ENDS_OF_MANY } from './end.ts';
import { EndField } from './end-field.tsx';
import { TagsField } from './tags-field.tsx';
import { useSuggestions } from './use-suggestions.ts';
import { useTags } from './use-tags.ts';

const TAGS = [
  ['add', 'Add and remove some'],
  ['only', 'Replace by these'],
  ['none', 'Remove all'],
] as const;
const CAMPAIGNS = [
  ['', 'Leave as it is'],
  ['set', 'Set to'],
  ['none', 'None'],
] as const;

/** What an edit of many links can set; without a choice all stays. */
export function BatchFields({ links }: { links: readonly Link[] }) {
  const [tags, setTags] = useState('add');
  const [campaign, setCampaign] = useState('');
  const [campaignId, setCampaignId] = useState('');
  const known = useTags();
  const { campaigns } = useSuggestions();
  const present = [...new Set(links.flatMap((link) => link.tags))];
  return (
    <>
      <Choice
        label="Tags"
        name="tags"
        value={tags}
        options={TAGS}
        onChange={({ target }) => setTags(target.value)}
      />
      {tags === 'add' && (
        <>
          <TagsField key="add" label="Add" name="addTags" suggestions={known} />
          <TagsField key="remove" label="Remove" name="removeTags" suggestions={present} />
        </>
      )}
      {tags === 'only' && <TagsField key="only" label="New tags" name="onlyTags" suggestions={known} />}
      <Choice
        label="Campaign"
        name="campaign"
        value={campaign}
        options={CAMPAIGNS}
        onChange={({ target }) => setCampaign(target.value)}
      />
      {campaign === 'set' && (
        <SuggestField
          label="New campaign"
          name="campaignId"
          required
          value={campaignId}
          suggestions={campaigns}
          onChange={setCampaignId}
        />
      )}
      <EndField options={ENDS_OF_MANY} />
    </>
  );
}
