import { listDestinationTypes } from '@generated/sdk.gen.ts';
import type { DestinationType } from '@generated/types.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';

/** The types of destinations that this service knows. */
export function useTypes(): {
  readonly read: Read<readonly DestinationType[]>;
  titleOf(type: string): string;
} {
  const read = useRead(['destination-types'], (client, signal) =>
    listDestinationTypes({ client, signal, throwOnError: true }),
  );
  return { read, titleOf: (type) => read.data?.find((each) => each.type === type)?.title ?? type };
}
