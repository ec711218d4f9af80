import type { AppMember } from '@generated/types.gen.ts';
import { useState } from 'react';
import { Check } from '../../components/field.tsx';

/** Keys work on without the member, who may have copied them. */
export function useKeysChoice({ name, keys }: AppMember) {
  const [isChosen, setChosen] = useState(true);
  const isAsked = keys.length > 0;
  const choice = isAsked && (
    <Check
      label={`Revoke the keys that ${name} made`}
      help={keys.map(({ hint }) => hint).join(', ')}
      checked={isChosen}
      onChange={() => setChosen(!isChosen)}
    />
  );
  return { isAsked, isChosen: isAsked && isChosen, choice, reset: () => setChosen(true) };
}
