import { Picker } from '../../components/menu.tsx';
import { useTags } from './use-tags.ts';

/** As many as a menu can have; others are found by a link that has them. */
const MOST = 100;

export function TagPicker({ onPick }: { onPick: (tag: string) => void }) {
  const tags = useTags();
  if (tags.length === 0) return null;
  return (
    <Picker
      label="Tag"
      value=""
      options={[['', 'Any tag'], ...tags.slice(0, MOST).map((tag) => [tag, tag] as const)]}
      onPick={(picked) => {
        if (picked !== '') onPick(picked);
      }}
    />
  );
}
