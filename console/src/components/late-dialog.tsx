import { type ComponentType, useState } from 'react';
import { late, useLate } from './late.ts';

/** A dialog whose code is not loaded with the page. Once open it stays, so that the focus can go back. */
export function lateDialog<Props extends { readonly isOpen: boolean }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const code = late(load);
  return function LateDialog(props: Props) {
    const [wasOpen, setWasOpen] = useState(props.isOpen);
    if (props.isOpen && !wasOpen) setWasOpen(true);
    const Loaded = useLate(code, wasOpen);
    return wasOpen && Loaded !== null && <Loaded {...props} />;
  };
}
