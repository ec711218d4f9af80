import { type ComponentType, lazy, Suspense, useState } from 'react';

/** A dialog whose code is loaded when it opens first. From then on it stays, so that the focus can go back. */
export function lateDialog<Props extends { readonly isOpen: boolean }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LateDialog(props: Props) {
    const [wasOpen, setWasOpen] = useState(props.isOpen);
    if (props.isOpen && !wasOpen) setWasOpen(true);
    return (
      wasOpen && (
        <Suspense>
          <Loaded {...props} />
        </Suspense>
      )
    );
  };
}
