/** The test of one way in which iOS brings links to JavaScript; each has a file, which is a process of the app. */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, render, screen } from '@testing-library/react-native';
import { Linking } from 'react-native';
import App from '../App';

/** Later the same link is another tap. */
const NEXT_TAP_MS = 1_100;

const opens: { url: string; openId: string }[] = [];

const fetch = async (url: string, { body }: { body: string }) => {
  const sent = JSON.parse(body);
  if (url.endsWith('/resolve')) opens.push(sent);
  const answer = url.endsWith('/resolve')
    ? {
        deepLinkPath: `/shoes/${sent.url.split('/').at(-1)}`,
        deepLinkParams: { size: 43 },
        isDeferred: false,
      }
    : { attributed: false, method: 'ORGANIC', installId: sent.installId, metadata: {}, results: [] };
  return { status: 200, headers: { get: () => null }, text: async () => JSON.stringify(answer) };
};

async function receive(url: string): Promise<void> {
  await act(async () => {
    for (const [type, listener] of jest.mocked(Linking.addEventListener).mock.calls)
      if (type === 'url') listener({ url });
  });
}

/** @param repeatsColdLink whether the link that starts the app also comes as an event. */
export function testDelivery(name: string, { repeatsColdLink }: { repeatsColdLink: boolean }): void {
  describe(`links as ${name} delivers them`, () => {
    beforeEach(() => {
      Object.assign(globalThis, { fetch });
      jest.spyOn(console, 'warn').mockImplementation(() => {});
    });

    it('open the screen of the link that starts the app, of the next one, and of the first one again', async () => {
      const cold = 'https://go.example.com/l/1';
      jest.mocked(Linking.getInitialURL).mockResolvedValue(cold);
      await render(<App />);
      if (repeatsColdLink) await receive(cold);
      await screen.findByText('Shoes 1 in 43');
      await receive('https://go.example.com/l/2');
      await screen.findByText('Shoes 2 in 43');
      await act(async () => await new Promise((resolve) => setTimeout(resolve, NEXT_TAP_MS)));
      await receive(cold);
      await screen.findByText('Shoes 1 in 43');
      expect(new Set(opens.map(({ openId }) => openId)).size).toBe(3);
      await screen.unmount();
    });
  });
}
