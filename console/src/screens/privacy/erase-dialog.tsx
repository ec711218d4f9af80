import { erasePerson } from '@generated/sdk.gen.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { nameOf, type Person } from './person.ts';

/** Names the person and what is lost. @param loss in words, such as “2 clicks and 1 install”. */
export function EraseDialog({
  person,
  loss,
  spareShared,
  isOpen,
  onClose,
  onErased,
}: {
  person: Person;
  loss: string;
  spareShared: boolean;
  isOpen: boolean;
  onClose: () => void;
  onErased: () => void;
}) {
  const refresh = useRefresh();
  const change = useChange(
    async (client) => {
      await erasePerson({ client, body: { ...person, spareShared }, throwOnError: true });
    },
    async () => {
      onErased();
      await refresh('erasures');
    },
  );
  const name = nameOf(person);
  return (
    <Confirm
      title={`Erase ${name}?`}
      action={`Erase ${name}`}
      keep="Keep the records"
      isOpen={isOpen}
      onClose={onClose}
      change={change}
    >
      <p>
        {loss[0]?.toUpperCase()}
        {loss.slice(1)} lose everything that is about the person: addresses, devices, user ID, properties.
        {spareShared && ' Records of unknown people stay as they are.'}
      </p>
      <p>
        Statistics keep their numbers. Nobody can bring the data back, and messages that webhooks have
        received are not called back: tell their receivers.
      </p>
    </Confirm>
  );
}
